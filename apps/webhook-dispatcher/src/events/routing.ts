import { hash } from 'node:crypto';
import {
  AppError,
  type Aspect,
  CallReceived,
  type ContactCard,
  type Envelope,
  MessageLiveLocation,
  MessagePollVote,
  type MessagePollVoteV1,
  MessageReceived,
  type MessageReceivedV1,
  partitionOf,
  phoneAddress,
  UNNAMED_EVENTS,
  WebhookPaused,
  type WebhookStateV1,
} from '@svc/contracts';
import { type ReadEvent } from '@svc/messaging';
import { timeOfInbound } from '@svc/service';
import { validate as isUuid } from 'uuid';
import type { Receiver, Receivers } from '../endpoints/endpoint-directory.js';

/** Namespace of the delivery ids, which never changes: with another one a redelivered event would get new ids. */
const NAMESPACE = Buffer.from('b0d7a3a42f0c5b0e9a576d1f4c1f9f57', 'hex');

/** Variant of RFC 9562 in the digit that begins the fourth group, whatever its two lower bits are. */
const VARIANTS = '89ab';

/** The persons of an event, and its time, as erasures look at it. */
export interface Persons {
  /** Addresses of who wrote, or is written to, of the chat, and of whom a message quotes or mentions. */
  contacts: string[];
  at: Date;
  /** The event is about what was sent to them. */
  toThem: boolean;
}

/** A new event as it is written, with what deliveries of it need. */
export interface NewEvent {
  id: string;
  tenantId: string;
  sessionId: string | null;
  conversation: number;
  kind: string;
  /** Aspects of the event: none of what a contact writes in a chat of the own. */
  aspects: Aspect[];
  payload: Buffer;
  /** The endpoint whose pause it tells of: an event that is held for it would not tell anybody. */
  pausedEndpointId?: string;
  partition: number;
  persons: Persons;
}

/**
 * Reads an event as the stream hands it out.
 * @throws AppError `VALIDATION_FAILED` where it can never be taken in.
 */
export function newEventOf({ envelope, bytes }: ReadEvent): NewEvent {
  const { id, tenantId, type, data } = envelope;
  const { sessionId = null } = data as { sessionId?: unknown };
  if (sessionId !== null && !isUuid(sessionId)) {
    throw new AppError('VALIDATION_FAILED', 'sessionId is not a UUID.');
  }
  const persons = personsOf(envelope);
  if (Number.isNaN(persons.at.getTime())) {
    throw new AppError('VALIDATION_FAILED', 'The time of the event is not an ISO 8601 time.');
  }
  return {
    // The database returns the id in this form.
    id: id.toLowerCase(),
    tenantId,
    sessionId: sessionId as string | null,
    kind: type,
    aspects: aspectsOf(envelope),
    conversation: conversationOf(data),
    // The bytes are made once: every attempt sends them.
    payload: bytes,
    ...(type === WebhookPaused.name && { pausedEndpointId: (data as WebhookStateV1).endpointId }),
    partition: partitionOf(tenantId),
    persons,
  };
}

/**
 * Computes the id of the delivery of an event to an endpoint: the same however often it is computed. A UUID of version 5 (RFC 9562), made here because the
 * library's costs six times as much, once per delivery.
 */
export function deliveryId(eventId: string, endpointId: string): string {
  const named = Buffer.allocUnsafe(NAMESPACE.length + eventId.length + endpointId.length);
  NAMESPACE.copy(named);
  named.write(eventId + endpointId, NAMESPACE.length, 'latin1');
  const hex = hash('sha1', named, 'hex');
  const variant = VARIANTS[parseInt(hex.charAt(16), 16) & 3];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** The fields of an event that decide whom it goes to. */
type RoutedFields = Pick<NewEvent, 'kind' | 'sessionId' | 'aspects' | 'pausedEndpointId'>;

/**
 * Finds the receivers of an event (specification, "Endpoint routing"): tenant-wide endpoints by their filter, bound ones their own
 * session's only; both by what they hear. A paused endpoint keeps getting deliveries, they are held, but for the event of its own pause; a disabled one is not
 * subscribed at all.
 */
export function receiversOf(event: RoutedFields, receivers: Receivers): Receiver[] {
  const found: Receiver[] = [];
  for (const receiver of receivers.values()) if (isFor(event, receiver)) found.push(receiver);
  return found;
}

const UNNAMED: ReadonlySet<string> = new Set(UNNAMED_EVENTS);

function isFor({ kind, sessionId, aspects, pausedEndpointId }: RoutedFields, receiver: Receiver): boolean {
  if (receiver.state === 'DISABLED' || receiver.id === pausedEndpointId) return false;
  if (receiver.sessionId !== null && receiver.sessionId !== sessionId) return false;
  if (!aspects.every((aspect) => receiver.hears.includes(aspect))) return false;
  if (receiver.events.length === 0) return UNNAMED.has(kind);
  return receiver.events.includes(kind);
}

/**
 * Hashes the conversation an event belongs to, always to the same number: the session and the chat, or the session alone where there is
 * no chat. First attempts of one conversation go out one after the other.
 */
export function conversationOf(data: object): number {
  const { sessionId, chatId, remoteJid, to } = data as Record<string, unknown>;
  let hash = 0x811c9dc5;
  for (const part of [sessionId, chatId ?? remoteJid ?? to]) {
    const text = typeof part === 'string' ? part : '';
    for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  return hash | 0;
}

/** Events of what persons did. */
export const FROM_PERSONS: ReadonlySet<string> = new Set(
  [MessageReceived, MessagePollVote, MessageLiveLocation, CallReceived].map(({ name }) => name),
);

/** Reads the aspects of an event of what a person did; another event has none. */
function aspectsOf({ type, data }: Envelope): Aspect[] {
  if (!FROM_PERSONS.has(type)) return [];
  const { isGroup, fromMe, change } = data as Told;
  const aspects: [Aspect, boolean][] = [
    ['groups', isGroup === true],
    ['own', fromMe === true],
    ['changes', change != null],
  ];
  return aspects.filter(([, has]) => has).map(([aspect]) => aspect);
}

/** Lists the addresses of the numbers on contact cards. */
function onCards(cards: ContactCard[]): string[] {
  return cards.flatMap(({ phones }) => phones.map((phone) => phoneAddress(phone.slice(1))));
}

/** Fields of events that name persons. */
type Told = Partial<MessageReceivedV1 & Pick<MessagePollVoteV1, 'pollAuthor'>> & { to?: unknown };

/** Reads the persons in an envelope. */
function personsOf({ type, occurredAt, data }: Envelope): Persons {
  const { remoteJid, to, chatId, timestamp, quoted, mentions, contacts, pollAuthor } = data as Told;
  const isInbound = FROM_PERSONS.has(type) && typeof timestamp === 'string';
  return {
    contacts: [
      ...[remoteJid ?? to, chatId, quoted?.remoteJid, pollAuthor],
      ...[...(mentions ?? []), ...onCards(contacts ?? [])],
    ].filter((address) => typeof address === 'string'),
    at: isInbound ? timeOfInbound(occurredAt, timestamp) : new Date(occurredAt),
    toThem: !isInbound,
  };
}
