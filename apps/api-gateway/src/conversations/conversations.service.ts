import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import {
  AppError,
  type ConversationView,
  invalidField,
  isGroup,
  type ListConversationsQuery,
  type MessageView,
  type Page,
  type PageQuery,
} from '@svc/contracts';
import { In, Repository } from 'typeorm';
import { ContactAliases } from '../messages/contact-aliases.js';
import { MessagesService } from '../messages/messages.service.js';
import { Message } from '../messages/message.entity.js';
import { Cursors, DEFAULT_LIMIT } from '../paging/cursor.js';
import { WALK_MICROS } from '../messages/messages.repository.js';
import {
  ConversationListRepository,
  type ListedConversation,
  type WalkPosition,
} from './conversation-list.repository.js';
import { Conversation } from './conversation.entity.js';
import { packSnapshot, unpackSnapshot } from './snapshot.js';

/**
 * This class lists conversations, the one with the newest message first. A walk from page to page goes through the list as it was at its first page, so that
 * each of them comes once, whatever moves to the top meanwhile; what a page says of each is of the moment.
 */
@Injectable()
export class ConversationsService {
  constructor(
    @InjectRepository(Conversation) private readonly conversations: Repository<Conversation>,
    @InjectRepository(Message) private readonly messages: Repository<Message>,
    private readonly lists: ConversationListRepository,
    private readonly read: MessagesService,
    private readonly aliases: ContactAliases,
    private readonly cursors: Cursors,
  ) {}

  async list(tenantId: string, query: ListConversationsQuery): Promise<Page<ConversationView>> {
    const { limit = DEFAULT_LIMIT, before } = query;
    const filter = { tenantId, ...(query.sessionId ? { sessionId: query.sessionId.toLowerCase() } : {}) };
    const list = `conversations:${JSON.stringify(filter)}`;
    const last = this.cursors.decode(list, before);
    const from = last === undefined ? undefined : positionFrom(last);
    const { rows, walk = from } = from
      ? { rows: await this.lists.next(filter, from, limit + 1) }
      : await this.lists.first(filter, limit + 1);
    const page = this.cursors.page(list, rows, limit, ({ id, place }) =>
      textOf({ ...(walk as WalkPosition), id, place }),
    );
    return { items: await this.viewsOf(tenantId, page.items), nextCursor: page.nextCursor };
  }

  /** Reads a conversation of this tenant. @throws AppError `CONVERSATION_NOT_FOUND`, or `FORBIDDEN` for another tenant's. */
  async owned(tenantId: string, id: string): Promise<Conversation> {
    const conversation =
      (await this.conversations.findOneBy({ id })) ??
      (await this.conversations.findOneBy({ id: await this.aliases.conversationOf(id) }));
    if (!conversation) throw new AppError('CONVERSATION_NOT_FOUND');
    if (conversation.tenantId !== tenantId) throw new AppError('FORBIDDEN');
    return conversation;
  }

  /** @throws AppError `CONVERSATION_NOT_FOUND`, `FORBIDDEN` */
  async messagesOf(tenantId: string, id: string, query: PageQuery): Promise<Page<MessageView>> {
    const { sessionId, contact } = await this.owned(tenantId, id);
    return this.read.page({ tenantId, sessionId, contact }, query);
  }

  private async viewsOf(tenantId: string, rows: ListedConversation[]): Promise<ConversationView[]> {
    const found = await this.messages.findBy({
      tenantId,
      id: In(rows.map(({ lastMessageId }) => lastMessageId)),
    });
    const byId = new Map((await this.read.viewsOf(found)).map((message) => [message.id, message]));
    return rows.map(({ id, sessionId, contact, lastMessageId, lastAt }) => ({
      ...{ id, sessionId, contact, isGroup: isGroup(contact) },
      lastMessage: byId.get(lastMessageId) ?? null,
      lastMessageAt: lastAt.toISOString(),
    }));
  }
}

function textOf({ snapshot, startedAt, place, id }: WalkPosition): string {
  return [packSnapshot(snapshot), startedAt, place, id].join(' ');
}

/** @throws AppError `VALIDATION_FAILED` where nobody remembers that far back. */
function positionFrom(text: string): WalkPosition {
  const [snapshot = '', startedAt = '', place = '', id = ''] = text.split(' ');
  if (Number(startedAt) < Date.now() * 1_000 - WALK_MICROS) {
    throw invalidField('before', 'before must be the nextCursor of a walk that began within the last hour');
  }
  return { snapshot: unpackSnapshot(snapshot), startedAt, place, id };
}
