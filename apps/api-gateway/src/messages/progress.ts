import { MESSAGE_STATUSES, type MessageFailure, type MessageStatus } from '@svc/contracts';
import type { TimedState } from './timeline.js';

/**
 * The rank of a state says how far a message has come. Events arrive in any order, so a state only replaces one of a lower rank: a message that
 * was sent does not fail any more, and a receipt proves that one given up for failed did arrive.
 */
const RANK: Record<MessageStatus, number> = {
  QUEUED: 0,
  SENT: 1,
  FAILED: 1,
  DELIVERED: 2,
  READ: 3,
  RECEIVED: 9,
};

/** States that `next` may replace. */
export function statesBefore(next: MessageStatus): MessageStatus[] {
  return MESSAGE_STATUSES.filter((status) => RANK[status] < RANK[next]);
}

/** Step of an outbound message, from its event. */
export interface Progress {
  tenantId: string;
  jobId: string;
  status: TimedState;
  keyId: string;
  failure: MessageFailure | null;
  /** Time of the change. */
  at: Date;
}

/** Columns that keep when a state was reached. */
const TIMES = { SENT: 'sent_at', DELIVERED: 'delivered_at', READ: 'read_at', FAILED: 'failed_at' } as const;

/**
 * Makes the rows that the function `advance_messages` of the gateway's schema takes: all steps of a message become one. Its state is the
 * furthest, by its rank, and of equals the first; of each state the time that was told first.
 */
export function progressRows(steps: Progress[]): object[] {
  const rows = new Map<string, { furthest: Progress; times: Record<string, Date> }>();
  for (const one of steps) {
    const key = `${one.tenantId}|${one.jobId}`;
    const before = rows.get(key);
    const isFurther = !before || statesBefore(one.status).includes(before.furthest.status);
    const times = { [TIMES[one.status]]: one.at, ...before?.times };
    rows.set(key, { furthest: isFurther ? one : before.furthest, times });
  }
  return [...rows.values()].map(({ furthest: { tenantId, jobId, status, failure, keyId }, times }) => ({
    ...{ tenant_id: tenantId, id: jobId, status, failure, key_id: keyId, ...times },
    replaces: statesBefore(status),
  }));
}
