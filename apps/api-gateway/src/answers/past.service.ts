import { Injectable } from '@nestjs/common';
import {
  AppError,
  type ConversationMessage,
  type ConversationReply,
  type ReadConversationV1,
} from '@svc/contracts';
import { DataSource } from 'typeorm';
import { ContactAliases } from '../messages/contact-aliases.js';
import type { Message } from '../messages/message.entity.js';
import { type MessageChanges, MessageChangesRepository } from '../messages/message-changes.repository.js';
import { MessageListRepository } from '../messages/message-list.repository.js';
import { MessagesRepository } from '../messages/messages.repository.js';
import { OptOutsRepository } from '../opt-outs/opt-outs.repository.js';
import { normalizeChat } from '../messages/recipient.js';
import { isSuspended } from '../tenants/suspension.js';

/** Most bytes of one reply: NATS carries one megabyte. */
const MOST_BYTES = 500_000;

/** This class reads the past of a chat as its people see it: without what was deleted, never sent, or is only an edit of something else. */
@Injectable()
export class PastService {
  constructor(
    private readonly messages: MessagesRepository,
    private readonly aliases: ContactAliases,
    private readonly lists: MessageListRepository,
    private readonly changes: MessageChangesRepository,
    private readonly optOuts: OptOutsRepository,
    private readonly dataSource: DataSource,
  ) {}

  /** @throws AppError `MESSAGE_NOT_FOUND` of `before`, `VALIDATION_FAILED` of `chat` */
  async read(request: ReadConversationV1): Promise<ConversationReply> {
    const { tenantId, sessionId, before, limit, maxAgeSeconds } = request;
    // A model that is asked for nobody would be paid for all the same.
    if (await isSuspended(this.dataSource, tenantId)) return { messages: [], suspended: true };
    const named = normalizeChat(request.chat, 'chat');
    const contact = await this.aliases.contactOf(tenantId, named, sessionId);
    const last = before === undefined ? undefined : await this.messages.find(tenantId, before);
    if (last === null) throw new AppError('MESSAGE_NOT_FOUND');
    const since = maxAgeSeconds && new Date(Date.now() - maxAgeSeconds * 1_000).toISOString();
    const filter = { tenantId, sessionId, contact, ...(since && { since }) };
    const { rows } = await this.lists.read(filter, last, limit);
    const said = rows.filter(wasSaid);
    const changes = await this.changes.of(said.map(({ id }) => id));
    const messages = thoseThatFit(said.flatMap((message) => viewOf(message, changes.get(message.id))));
    return (await this.optOuts.isOut({ tenantId, contact })) ? { messages, optedOut: true } : { messages };
  }
}

/** Says whether a message was said in the chat: not one that waits for its time or has failed, nor one that only changes another. */
function wasSaid({ status, sendAt, releasedAt, relatesTo, origin }: Message): boolean {
  const isChange =
    Boolean(origin?.change) || relatesTo?.relation === 'EDIT' || relatesTo?.relation === 'DELETE';
  return status !== 'FAILED' && (sendAt === null || releasedAt !== null) && !isChange;
}

function viewOf(message: Message, changes: MessageChanges | undefined): ConversationMessage[] {
  if (changes?.deletedAt) return [];
  const { id: messageId, direction, sentBy, createdAt } = message;
  const body = changes?.edited?.body ?? message.body;
  return [{ messageId, fromMe: direction === 'OUTBOUND', sentBy, createdAt: createdAt.toISOString(), body }];
}

function thoseThatFit(messages: ConversationMessage[]): ConversationMessage[] {
  let bytes = 0;
  const end = messages.findIndex(
    (message) => (bytes += Buffer.byteLength(JSON.stringify(message))) > MOST_BYTES,
  );
  return end < 0 ? messages : messages.slice(0, end);
}
