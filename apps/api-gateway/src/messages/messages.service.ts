import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import {
  AppError,
  conversationIdOf,
  type Envelope,
  isGroup,
  type ListMessagesQuery,
  type MessageFailedV1,
  type MessageOrigin,
  type MessageReceivedV1,
  type MessageView,
  type OutboundMessageV1,
  type Page,
  type PageQuery,
  phoneOf,
  type ReceivedMessageRef,
} from '@svc/contracts';
import { timeOfInbound } from '@svc/service';
import { In, Repository } from 'typeorm';
import { ContactAliases } from './contact-aliases.js';
import { type InboundMessage, MessagesRepository } from './messages.repository.js';
import { withoutNulls } from '../edge/without-nulls.js';
import { Cursors, DEFAULT_LIMIT } from '../paging/cursor.js';
import { Message } from './message.entity.js';
import { type MessageChanges, MessageChangesRepository } from './message-changes.repository.js';
import { type MessageFilter, MessageListRepository, type Position } from './message-list.repository.js';
import { normalizeChat } from './recipient.js';
import { type TimedState, timelineOf } from './timeline.js';

/** This class is the read model: it lists what was sent and received, newest first, and follows what events tell of it. */
@Injectable()
export class MessagesService {
  constructor(
    @InjectRepository(Message) private readonly messages: Repository<Message>,
    private readonly repository: MessagesRepository,
    private readonly aliases: ContactAliases,
    private readonly lists: MessageListRepository,
    private readonly changes: MessageChangesRepository,
    private readonly cursors: Cursors,
  ) {}

  async list(tenantId: string, query: ListMessagesQuery): Promise<Page<MessageView>> {
    const filter = filterOf(tenantId, query);
    if (!filter.contact) return this.page(filter, query);
    const contact = await this.aliases.contactOf(tenantId, filter.contact, filter.sessionId);
    return this.page({ ...filter, contact }, query);
  }

  /** Lists the messages that a filter lets through, page by page. */
  async page(filter: MessageFilter, query: PageQuery): Promise<Page<MessageView>> {
    const { limit = DEFAULT_LIMIT, before } = query;
    // A position belongs to the list of one filter: in another list it means nothing.
    const list = `messages:${JSON.stringify(filter)}`;
    const last = this.cursors.decode(list, before);
    const { rows, end } = await this.lists.read(filter, last ? positionFrom(last) : undefined, limit + 1);
    const page = this.cursors.page(list, rows, limit, textOf);
    const nextCursor = end ? this.cursors.encode(list, textOf(end)) : page.nextCursor;
    return { items: await this.viewsOf(page.items), nextCursor };
  }

  async get(tenantId: string, id: string): Promise<MessageView> {
    const message = await this.owned(tenantId, id);
    const [view] = await this.viewsOf([message]);
    return view ?? toView(message);
  }

  /** Shows messages, each with what was done to it afterwards. */
  async viewsOf(messages: Message[]): Promise<MessageView[]> {
    const changes = await this.changes.of(messages.map(({ id }) => id));
    return messages.map((message) => toView(message, changes.get(message.id)));
  }

  /**
   * Finds a message of the tenant.
   * @throws AppError `MESSAGE_NOT_FOUND`, or `FORBIDDEN` for another tenant's.
   */
  async owned(tenantId: string, id: string): Promise<Message> {
    const message = await this.messages.findOneBy({ tenantId, id });
    if (message) return message;
    throw new AppError((await this.messages.existsBy({ id })) ? 'FORBIDDEN' : 'MESSAGE_NOT_FOUND');
  }

  /**
   * Finds messages that a session received, by the names the platform knows them under.
   * @throws AppError `MESSAGE_NOT_FOUND` with the ids of those that are none.
   */
  async receivedBy(tenantId: string, sessionId: string, wanted: string[]): Promise<ReceivedMessageRef[]> {
    const ids = [...new Set(wanted.map((id) => id.toLowerCase()))];
    const rows = await this.messages.findBy({ tenantId, sessionId, direction: 'INBOUND', id: In(ids) });
    const found = new Set(rows.map(({ id }) => id));
    const messageIds = ids.filter((id) => !found.has(id));
    if (messageIds.length > 0) throw new AppError('MESSAGE_NOT_FOUND', undefined, { messageIds });
    return rows.map(({ id, contact, keyId }) => ({ messageId: id, contact, keyId: keyId ?? '' }));
  }

  /** Writes a message that came from the platform. `fromMe`: written on the phone itself, so it went out without a job of ours. */
  async received({ tenantId, occurredAt, data }: Envelope<MessageReceivedV1>): Promise<void> {
    const message: InboundMessage = {
      id: data.messageId,
      tenantId,
      sessionId: data.sessionId,
      direction: data.fromMe ? 'OUTBOUND' : 'INBOUND',
      status: data.fromMe ? 'SENT' : 'RECEIVED',
      contact: data.chatId ?? data.remoteJid,
      body: data.body,
      origin: originOf(data),
      media: data.media ?? null,
      keyId: data.keyId,
      sentAt: new Date(data.timestamp),
      createdAt: new Date(data.receivedAt ?? occurredAt),
    };
    await this.repository.insertInbound(message, timeOfInbound(occurredAt, data.timestamp));
  }

  /** Moves an outbound message on to the state that an event contains. */
  async advance(
    { tenantId, data }: Envelope<OutboundMessageV1 & Partial<MessageFailedV1>>,
    status: TimedState,
  ): Promise<void> {
    const { jobId, keyId, failure = null, sessionId, requestedTo: alias, to: contact } = data;
    const at = new Date(data.timestamp);
    if (alias) await this.aliases.learn({ tenantId, sessionId, jobId, alias, contact });
    await this.repository.advance({ tenantId, jobId, keyId, status, failure, at });
  }

  /** Finds those of these jobs whose message holds its unit. */
  existing(jobIds: string[]): Promise<string[]> {
    return this.repository.existing(jobIds);
  }
}

/** Reads who wrote a message and what it refers to. */
function originOf({ remoteJid, pushName, quoted, mentions, change }: MessageReceivedV1): MessageOrigin {
  return {
    sender: remoteJid,
    pushName: pushName ?? null,
    quoted: quoted ?? null,
    mentions: mentions ?? [],
    change: change ?? null,
  };
}

function filterOf(tenantId: string, query: ListMessagesQuery): MessageFilter {
  const { sessionId, contact, direction, status, since, until } = query;
  return {
    tenantId,
    ...withoutNulls({ sessionId, direction, status }),
    ...(contact && { contact: normalizeChat(contact, 'contact') }),
    ...(since && { since: new Date(since).toISOString() }),
    ...(until && { until: new Date(until).toISOString() }),
  };
}

function textOf({ createdAt, id }: Position): string {
  return `${createdAt.toISOString()} ${id}`;
}

function positionFrom(text: string): Position {
  const [at = '', id = ''] = text.split(' ');
  return { createdAt: new Date(at), id };
}

function toView(message: Message, changes?: MessageChanges): MessageView {
  const { id, sessionId, direction, status, contact, body, relatesTo, origin } = message;
  const { requestedTo, media, keyId, clientMessageId, metadata, sentBy, failure } = message;
  return {
    id,
    // A message that was written on the number's own phone has an origin and no job.
    jobId: direction === 'OUTBOUND' && !origin ? id : null,
    conversationId: conversationIdOf(message),
    ...{
      sessionId,
      direction,
      status,
      contact,
      requestedTo,
      body,
      ...viewOfChanges(changes),
      relatesTo,
      origin,
      media,
    },
    ...{ keyId, clientMessageId, metadata, sentBy, failure },
    ...eventNamesOf(message),
    timeline: timelineOf(message),
    sendAt: message.sendAt?.toISOString() ?? null,
    expiresAt: message.expiresAt?.toISOString() ?? null,
    createdAt: message.createdAt.toISOString(),
    updatedAt: message.updatedAt.toISOString(),
  };
}

/** Lists what the events of a message have under names of their own. */
function eventNamesOf({ id, direction, contact, origin, sentAt, createdAt }: Message) {
  const isOutbound = direction === 'OUTBOUND';
  return {
    ...{ messageId: id, chatId: contact, isGroup: isGroup(contact), fromMe: isOutbound },
    to: isOutbound ? contact : null,
    remoteJid: origin?.sender ?? null,
    phone: phoneOf(origin?.sender),
    timestamp: sentAt?.toISOString() ?? null,
    receivedAt: origin ? createdAt.toISOString() : null,
  };
}

function viewOfChanges(changes: MessageChanges | undefined): Pick<MessageView, 'edited' | 'deletedAt'> {
  const { edited = null, deletedAt = null } = changes ?? {};
  return {
    edited: edited && { ...edited, at: edited.at.toISOString() },
    deletedAt: deletedAt?.toISOString() ?? null,
  };
}
