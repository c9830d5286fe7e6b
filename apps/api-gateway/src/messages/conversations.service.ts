import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import {
  AppError,
  type Envelope,
  type ListMessagesQuery,
  type MessageOrigin,
  type MessageReceivedV1,
  type MessageView,
  type Page,
  type ReceivedMessageRef,
} from '@svc/contracts';
import { In, Repository } from 'typeorm';
import { Cursors, DEFAULT_LIMIT } from '../paging/cursor.js';
import { Message } from './message.entity.js';
import { MessagesRepository } from './messages.repository.js';
import { normalizeChat } from './recipient.js';
import { storable } from './storable.js';

/** The read model: what was sent and received, newest first. */
@Injectable()
export class ConversationsService {
  constructor(
    @InjectRepository(Message) private readonly messages: Repository<Message>,
    private readonly repository: MessagesRepository,
    private readonly cursors: Cursors,
  ) {}

  async list(tenantId: string, query: ListMessagesQuery): Promise<Page<MessageView>> {
    const { limit = DEFAULT_LIMIT, before, sessionId, contact, direction, status } = query;
    const list = `messages:${tenantId}`;
    const last = this.cursors.decode(list, before);
    const rows = this.messages
      .createQueryBuilder('message')
      .where('message.tenant_id = :tenantId', { tenantId });
    if (sessionId) rows.andWhere('message.session_id = :sessionId', { sessionId });
    if (contact) rows.andWhere('message.contact = :contact', { contact: normalizeChat(contact, 'contact') });
    if (direction) rows.andWhere('message.direction = :direction', { direction });
    if (status) rows.andWhere('message.status = :status', { status });
    if (last) rows.andWhere('(message.created_at, message.id) < (:at, :id)', positionFrom(last));
    const found = await rows
      .orderBy({ 'message.created_at': 'DESC', 'message.id': 'DESC' })
      .limit(limit + 1)
      .getMany();
    const page = this.cursors.page(list, found, limit, (row) => `${row.createdAt.toISOString()} ${row.id}`);
    return { ...page, items: page.items.map(toView) };
  }

  async get(tenantId: string, id: string): Promise<MessageView> {
    const message = await this.messages.findOneBy({ tenantId, id });
    if (message) return toView(message);
    throw new AppError((await this.messages.existsBy({ id })) ? 'FORBIDDEN' : 'MESSAGE_NOT_FOUND');
  }

  /**
   * Messages that a session received, by the names the platform knows them under.
   * @throws AppError `MESSAGE_NOT_FOUND` with the ids of those that are none.
   */
  async receivedBy(tenantId: string, sessionId: string, asked: string[]): Promise<ReceivedMessageRef[]> {
    const ids = [...new Set(asked.map((id) => id.toLowerCase()))];
    const rows = await this.messages.findBy({ tenantId, sessionId, direction: 'INBOUND', id: In(ids) });
    const known = new Set(rows.map(({ id }) => id));
    const messageIds = ids.filter((id) => !known.has(id));
    if (messageIds.length > 0) throw new AppError('MESSAGE_NOT_FOUND', undefined, { messageIds });
    return rows.map(({ id, contact, keyId }) => ({ messageId: id, contact, keyId: keyId ?? '' }));
  }

  /** `fromMe`: written on the phone itself, so it went out without a job of ours. */
  async received({ tenantId, occurredAt, data }: Envelope<MessageReceivedV1>): Promise<void> {
    await this.repository.insertArrived({
      id: data.messageId,
      tenantId,
      sessionId: data.sessionId,
      direction: data.fromMe ? 'OUTBOUND' : 'INBOUND',
      status: data.fromMe ? 'SENT' : 'RECEIVED',
      contact: data.chatId ?? data.remoteJid,
      body: storable(data.body),
      origin: originOf(data),
      media: storable(data.media ?? null),
      keyId: data.keyId,
      createdAt: new Date(occurredAt),
    });
  }
}

/** Who wrote it and what it refers to; what the platform lets anybody write is made storable. */
function originOf({ remoteJid, pushName, quoted, mentions, change }: MessageReceivedV1): MessageOrigin {
  return storable({
    sender: remoteJid,
    pushName: pushName ?? null,
    quoted: quoted ?? null,
    mentions: mentions ?? [],
    change: change ?? null,
  });
}

function positionFrom(position: string): { at: string; id: string } {
  const [at = '', id = ''] = position.split(' ');
  return { at, id };
}

function toView(message: Message): MessageView {
  const { id, sessionId, direction, status, contact, body, relatesTo, origin } = message;
  const { media, keyId, clientMessageId, failure } = message;
  return {
    id,
    // What was written on the own phone has an origin and no job.
    jobId: direction === 'OUTBOUND' && !origin ? id : null,
    ...{ sessionId, direction, status, contact, body, relatesTo, origin, media },
    ...{ keyId, clientMessageId, failure },
    createdAt: message.createdAt.toISOString(),
    updatedAt: message.updatedAt.toISOString(),
  };
}
