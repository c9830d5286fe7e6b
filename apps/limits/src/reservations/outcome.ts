import { type DayUsage, refusalBy, type ReserveReply, WRITE_WITHIN_MS } from '@svc/contracts';

/** The answer of the database function `reserve_all` for one job; `repeat`, for one that was asked for with `onlyNew`, says no more. */
export interface Outcome {
  outcome: 'admitted' | 'repeat' | 'session' | 'plan' | 'elsewhere';
  session_limit: number;
  session_used: number;
  plan_used: number;
  reset_at: Date;
  retry_after: number;
  held_at: Date | null;
}

/** Makes the reply of `reserve` for a job of this session; `planCap` null: no limit. */
export function replyOf(row: Outcome, planCap: number | null): ReserveReply {
  const { outcome } = row;
  if (outcome === 'repeat') return { admitted: false, isRepeat: true };
  const usage = usageOf(row, planCap);
  if (outcome === 'session' || outcome === 'plan') {
    return { admitted: false, refusal: refusalBy(outcome, usage), usage };
  }
  const heldAt = row.held_at as Date;
  return { admitted: true, usage, writeBefore: new Date(heldAt.getTime() + WRITE_WITHIN_MS).toISOString() };
}

function usageOf(row: Outcome, planLimit: number | null): DayUsage {
  return {
    sessionLimit: row.session_limit,
    sessionUsed: row.session_used,
    planLimit,
    planUsed: row.plan_used,
    resetAt: row.reset_at.toISOString(),
    secondsLeft: row.retry_after,
  };
}
