import type { MessageFailure } from '@svc/contracts';
import { statesBefore } from './message-states.js';
import type { TimedState } from './timeline.js';

/** The step of an outbound message that an event tells of. */
export interface Progress {
  tenantId: string;
  jobId: string;
  status: TimedState;
  keyId: string;
  failure: MessageFailure | null;
  /** When it happened. */
  at: Date;
}

/** Columns that keep when a state was reached. */
const TIMES = { SENT: 'sent_at', DELIVERED: 'delivered_at', READ: 'read_at', FAILED: 'failed_at' } as const;

/**
 * Makes the rows that the function `advance_messages` of the gateway's schema takes: all that is told of a message becomes one. Its state
 * is the furthest, by message-states.ts, and of equals the first; of each state the time that was told first.
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
