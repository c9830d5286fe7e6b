import { type Envelope, MessageReceived, type MessageReceivedV1 } from '@svc/contracts';
import { contactHash, timeOfInbound } from '@svc/service';

/** Kind of an event of which nothing is left but its place. */
export const ERASED = 'erased';

/** Whom an event is about, and when it was, as erasures look at it. */
export interface Persons {
  /** Hashes in hex of who wrote, or is written to, and of the chat. */
  person: string | null;
  chat: string | null;
  at: Date;
  /** It is about what was sent to them. */
  toThem: boolean;
}

/** SQL: whether a payload has one of the two names that `namesOf` gives, which are parameters. */
export const isNamedSql = (payload: string, address: string, phone: string): string =>
  `(position(${address}::bytea IN ${payload}) > 0 OR position(${phone}::bytea IN ${payload}) > 0)`;

/** Reads that in an envelope. */
export function personsOf({ tenantId, type, occurredAt, data }: Envelope): Persons {
  const { remoteJid, to, chatId, timestamp } = data as Partial<MessageReceivedV1> & { to?: unknown };
  const isInbound = type === MessageReceived.name && typeof timestamp === 'string';
  const hash = (address: unknown): string | null =>
    typeof address === 'string' ? contactHash(tenantId, address) : null;
  return {
    person: hash(remoteJid ?? to),
    chat: hash(chatId),
    at: isInbound ? timeOfInbound(occurredAt, timestamp) : new Date(occurredAt),
    toThem: !isInbound,
  };
}
