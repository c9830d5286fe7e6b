import {
  conversationIdOf,
  type Envelope,
  type EventContract,
  isGroup,
  type MessageFailure,
  MessageDelivered,
  MessageFailed,
  MessageRead,
  MessageSent,
  type Metadata,
  type Sender,
} from '@svc/contracts';
import { eventOf } from '@svc/service';
import { v5 as uuidv5 } from 'uuid';

/** Statuses of an outbound message in their order; `FAILED` stands beside them and is final. */
export const STATUS_ORDER = ['QUEUED', 'SENDING', 'SENT', 'DELIVERED', 'READ'] as const;
/** Status of an outbound message, one of `STATUS_ORDER`. */
export type SendStatus = (typeof STATUS_ORDER)[number];

/** Times at which a message reached its statuses; the first time of each counts. */
export type StatusTimes = Partial<Record<SendStatus | 'FAILED', string>>;

/** Writes the assignment that saves the time of the failure of a row of `outbound_message o`; `at` names a parameter. */
export const FAILED_AT = (at: string): string =>
  `reached = jsonb_build_object('FAILED', ${at}::text) || coalesce(o.reached, '{}')`;

/** Columns of `outbound_message` that its events are made of. */
export interface OutboundRow {
  job_id: string;
  session_id: string;
  tenant_id: string;
  key_id: string;
  to_jid: string;
  /** Address that the send named, where the account of that number has another one. */
  requested_to: string | null;
  client_message_id: string | null;
  /** Times of the statuses (ISO 8601); null for a row that is older than this column. */
  reached: StatusTimes | null;
  metadata: Metadata | null;
  /** Sender of the message; null for a row that is older than this column, and for one that the worker itself has made. */
  sent_by: Sender | null;
}

/** Names of the columns of `OutboundRow`, of `outbound_message o`. */
export const ROW_COLUMNS =
  'o.job_id, o.session_id, o.tenant_id, o.key_id, o.to_jid, o.requested_to, o.client_message_id, o.metadata, o.sent_by, o.reached';

/**
 * Writes the SQL that says whether a row has waited too long for its session. What the send itself says goes by domain time, the worker's
 * own limit (a parameter, in ms) by the server's clock.
 */
export function isOverdue(row: string, limitMs: string): string {
  return `CASE WHEN ${row}.expires_at IS NULL THEN ${row}.accepted_at < clock_timestamp() - ${limitMs} * interval '1 ms'
    ELSE ${row}.expires_at <= svc_now(${row}.tenant_id) END`;
}

const EVENTS = { SENT: MessageSent, DELIVERED: MessageDelivered, READ: MessageRead } as const;

/** Makes the events of every status above `before` up to `now`: a message that was read was also sent and delivered. */
export function progressEvents(row: OutboundRow, before: SendStatus, now: SendStatus): Envelope[] {
  const statuses = STATUS_ORDER.slice(STATUS_ORDER.indexOf(before) + 1, STATUS_ORDER.indexOf(now) + 1);
  return statuses.flatMap((status) => {
    const contract = EVENTS[status as keyof typeof EVENTS] as (typeof EVENTS)['SENT'] | undefined;
    return contract ? [messageEvent(contract, row, payloadOf(row, status))] : [];
  });
}

/**
 * Computes the times of a message that has come to `status`, for it and every one below: a written time stays, no status is earlier than
 * the one below it, and a skipped one has the time of the next above.
 */
export function statusTimes(
  status: SendStatus,
  latest: StatusTimes,
  earlier: StatusTimes | null,
): StatusTimes {
  const times: StatusTimes = { ...latest, ...earlier };
  const statuses = STATUS_ORDER.slice(STATUS_ORDER.indexOf('SENT'), STATUS_ORDER.indexOf(status) + 1);
  for (const one of statuses.toReversed()) {
    const above = STATUS_ORDER[STATUS_ORDER.indexOf(one) + 1];
    times[one] ??= above && times[above];
  }
  let last = '';
  for (const one of statuses) {
    const at = times[one];
    if (at !== undefined) last = times[one] = earlier?.[one] ?? (at < last ? last : at);
  }
  return times;
}

/** Makes all events of a message up to now, to publish again those that may have been lost. */
export function eventsSoFar(
  row: OutboundRow & { status: string; failure: MessageFailure | null },
): Envelope[] {
  if (row.status === 'FAILED') return row.failure ? [failedEvent(row, row.failure)] : [];
  return progressEvents(row, 'SENDING', row.status as SendStatus);
}

/** Makes the `message.failed` event. */
export function failedEvent(row: OutboundRow, failure: MessageFailure): Envelope {
  return messageEvent(MessageFailed, row, { ...payloadOf(row, 'FAILED'), failure });
}

/** Makes the event of a fact. The same fact always has the same id: told again after a loss, it is still one event. */
function messageEvent<T extends object>(contract: EventContract<T>, row: OutboundRow, data: T): Envelope {
  return eventOf(contract, row.tenant_id, data, uuidv5(contract.name, row.job_id));
}

function payloadOf(row: OutboundRow, status: SendStatus | 'FAILED') {
  const { session_id: sessionId, tenant_id: tenantId, job_id: jobId, to_jid: contact } = row;
  return {
    ...{ sessionId, jobId, messageId: jobId, keyId: row.key_id },
    clientMessageId: row.client_message_id,
    to: contact,
    ...(row.requested_to && { requestedTo: row.requested_to }),
    // A row that an earlier release wrote has no times.
    timestamp: row.reached?.[status] ?? new Date().toISOString(),
    ...(row.metadata && { metadata: row.metadata }),
    ...(row.sent_by && { sentBy: row.sent_by }),
    conversationId: conversationIdOf({ tenantId, sessionId, contact }),
    ...{ id: jobId, contact, chatId: contact, isGroup: isGroup(contact) },
    ...{ fromMe: true, direction: 'OUTBOUND' as const },
  };
}
