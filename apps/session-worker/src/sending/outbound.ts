import { createHash } from 'node:crypto';
import {
  type Envelope,
  type EventContract,
  type FailureCode,
  LIMIT_LAYERS,
  type LimitLayer,
  type MessageFailure,
  MessageDelivered,
  MessageFailed,
  MessageRead,
  MessageSent,
  type Metadata,
} from '@svc/contracts';
import { eventOf } from '@svc/service';
import { v5 as uuidv5 } from 'uuid';

/** Rungs an outbound message climbs; `FAILED` stands beside them and is final. */
export const RUNGS = ['QUEUED', 'SENDING', 'SENT', 'DELIVERED', 'READ'] as const;
/** One of `RUNGS`. */
export type Rung = (typeof RUNGS)[number];

/** When a message reached its states; the first time of each counts. */
export type Reached = Partial<Record<Rung | 'FAILED', string>>;

/** Assignment that keeps when a row of `outbound_message o` failed; `at` names a parameter. */
export const FAILED_AT = (at: string): string =>
  `reached = jsonb_build_object('FAILED', ${at}::text) || coalesce(o.reached, '{}')`;

/** Columns of `outbound_message` that its events are made of. */
export interface OutboundRow {
  job_id: string;
  session_id: string;
  tenant_id: string;
  key_id: string;
  to_jid: string;
  client_message_id: string | null;
  /** When each state was reached (ISO 8601); null: before this was kept. */
  reached: Reached | null;
  metadata: Metadata | null;
}

/**
 * SQL: whether a row has waited too long for its session. What the send itself says goes by domain time, the worker's own limit (a
 * parameter, in ms) by the server's clock.
 */
export function isOverdue(row: string, limitMs: string): string {
  return `CASE WHEN ${row}.expires_at IS NULL THEN ${row}.accepted_at < clock_timestamp() - ${limitMs} * interval '1 ms'
    ELSE ${row}.expires_at <= svc_now(${row}.tenant_id) END`;
}

const EVENTS = { SENT: MessageSent, DELIVERED: MessageDelivered, READ: MessageRead } as const;

const FAILURE_WORDS: Record<FailureCode, string> = {
  SESSION_LOGGED_OUT: 'The session was logged out before the message went out.',
  SESSION_DELETED: 'The session was deleted before the message went out.',
  EXPIRED: 'It waited too long: for its session, or for a media store that was away.',
  NOT_ON_PLATFORM: 'The number is not registered on the platform.',
  NOT_IN_GROUP: 'There is no such group, or the session does not belong to it.',
  REJECTED_BY_PLATFORM: 'The platform refused the message.',
  NO_ACK: 'The platform did not acknowledge the message, also not when it was sent again.',
  SEND_ERROR: 'The message could not be encrypted for its recipient.',
  MEDIA_UNAVAILABLE: 'The file could not be read or fetched.',
  MEDIA_REFUSED: 'The file is not one that can be sent like this.',
  MEDIA_UPLOAD_FAILED: 'The file could not be handed to the platform.',
  ACCOUNT_RESTRICTED: 'The platform has restricted the number: it may not write to new contacts.',
  NEW_CHAT_QUOTA: 'The number has begun as many chats as the platform lets it.',
  CANCELED: 'It was canceled before it went out.',
  SESSION_NOT_CONNECTED: 'The session was not connected at the time at which it was to go out.',
  RATE_LIMITED: 'A limit was used up at the time at which it was to go out.',
  PAYMENT_REQUIRED: 'The subscription was not active at the time at which it was to go out.',
};

/**
 * Whose unit a failure gives back. What the platform saw, or may have seen at an earlier try, was sent as far as limits go. To write to
 * strangers who do not exist is what the warmup protects a number from, so there the session's unit stays used.
 */
const GIVEN_BACK: Record<FailureCode, readonly LimitLayer[]> = {
  SESSION_LOGGED_OUT: LIMIT_LAYERS,
  SESSION_DELETED: LIMIT_LAYERS,
  EXPIRED: LIMIT_LAYERS,
  NOT_ON_PLATFORM: ['plan'],
  NOT_IN_GROUP: [],
  REJECTED_BY_PLATFORM: [],
  NO_ACK: [],
  SEND_ERROR: [],
  MEDIA_UNAVAILABLE: LIMIT_LAYERS,
  MEDIA_REFUSED: LIMIT_LAYERS,
  MEDIA_UPLOAD_FAILED: LIMIT_LAYERS,
  ACCOUNT_RESTRICTED: LIMIT_LAYERS,
  NEW_CHAT_QUOTA: LIMIT_LAYERS,
  CANCELED: LIMIT_LAYERS,
  SESSION_NOT_CONNECTED: LIMIT_LAYERS,
  RATE_LIMITED: LIMIT_LAYERS,
  PAYMENT_REQUIRED: LIMIT_LAYERS,
};
/** They meet a message wherever it is, perhaps on its way; the others say themselves that it did not go out. */
const WHEREVER_IT_IS: ReadonlySet<FailureCode> = new Set([
  'SESSION_LOGGED_OUT',
  'SESSION_DELETED',
  'EXPIRED',
]);

/**
 * The platform's message id of a job, always the same one: however often a job is sent, its recipient sees one message.
 * Shape as the library's own ids: `3EB0` and 18 upper-case hex digits.
 */
export function keyIdOf(jobId: string): string {
  return `3EB0${createHash('sha256').update(jobId).digest('hex').slice(0, 18).toUpperCase()}`;
}

/** Events for every rung above `before` up to `now`: a message that was read was also sent and delivered. */
export function climbEvents(row: OutboundRow, before: Rung, now: Rung): Envelope[] {
  const rungs = RUNGS.slice(RUNGS.indexOf(before) + 1, RUNGS.indexOf(now) + 1);
  return rungs.flatMap((rung) => {
    const contract = EVENTS[rung as keyof typeof EVENTS] as (typeof EVENTS)['SENT'] | undefined;
    return contract ? [messageEvent(contract, row, payloadOf(row, rung))] : [];
  });
}

/**
 * When a message that has come to `rung` reached it and every rung below: what was known stays, no rung is earlier than the one
 * below it, and one that was passed unseen was reached with the next above.
 */
export function reachedBy(rung: Rung, heard: Reached, known: Reached | null): Reached {
  const reached: Reached = { ...heard, ...known };
  const rungs = RUNGS.slice(RUNGS.indexOf('SENT'), RUNGS.indexOf(rung) + 1);
  for (const one of rungs.toReversed()) {
    const above = RUNGS[RUNGS.indexOf(one) + 1];
    reached[one] ??= above && reached[above];
  }
  let last = '';
  for (const one of rungs) {
    const at = reached[one];
    if (at !== undefined) last = reached[one] = known?.[one] ?? (at < last ? last : at);
  }
  return reached;
}

/** Why a message failed, in the words tenants see; `detail` e.g. the platform's error number. */
export function failureOf(code: FailureCode, detail?: string): MessageFailure {
  const message = detail ? `${FAILURE_WORDS[code]} (${detail})` : FAILURE_WORDS[code];
  return { code, message, givenBack: [...GIVEN_BACK[code]] };
}

/** The same failure of a message that may have been handed over. */
export function perhapsSent(failure: MessageFailure): MessageFailure {
  return WHEREVER_IT_IS.has(failure.code) ? { ...failure, givenBack: [] } : failure;
}

/** All that a message has told by now, to be told again where it may have been lost. */
export function eventsSoFar(
  row: OutboundRow & { status: string; failure: MessageFailure | null },
): Envelope[] {
  if (row.status === 'FAILED') return row.failure ? [failedEvent(row, row.failure)] : [];
  return climbEvents(row, 'SENDING', row.status as Rung);
}

/** The `message.failed` event. */
export function failedEvent(row: OutboundRow, failure: MessageFailure): Envelope {
  return messageEvent(MessageFailed, row, { ...payloadOf(row, 'FAILED'), failure });
}

/** The same fact always has the same id: told again after a loss, it is still one event. */
function messageEvent<T extends object>(contract: EventContract<T>, row: OutboundRow, data: T): Envelope {
  return eventOf(contract, row.tenant_id, data, uuidv5(contract.name, row.job_id));
}

function payloadOf(row: OutboundRow, state: Rung | 'FAILED') {
  return {
    sessionId: row.session_id,
    jobId: row.job_id,
    messageId: row.job_id,
    keyId: row.key_id,
    clientMessageId: row.client_message_id,
    to: row.to_jid,
    // Of a row that an earlier release wrote, nobody knows.
    timestamp: row.reached?.[state] ?? new Date().toISOString(),
    ...(row.metadata && { metadata: row.metadata }),
  };
}
