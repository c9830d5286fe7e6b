import type { PutBoundEndpointV1 } from '@svc/contracts';
import type { Endpoint, FailoverStep } from '../endpoints/endpoint.entity.js';

/** Longest time that a process has for a step of a fail-over; after it another one takes it. */
const CLAIM = `clock_timestamp() + interval '10 seconds'`;
const CLAIM_MS = 10_000;
/** Most fail-overs that a process takes at once. */
const BATCH = 20;

/** A step of a fail-over that this process has claimed. */
export interface DueFailover {
  endpointId: string;
  tenantId: string;
  sessionId: string;
  step: FailoverStep;
}

// An endpoint is silent while a delivery waits that has failed before: one that has nothing to deliver answers nothing either. The step is
// written before the mode changes, so that a 2xx of the moments between finds that there is something to take back.
export const CLAIM_SQL = `UPDATE webhook_endpoint
  SET failover_due_at = ${CLAIM}, failover_step = coalesce(failover_step, 'FAILING_OVER')
  WHERE id IN (
    SELECT id FROM webhook_endpoint endpoint
    WHERE failover_step IS DISTINCT FROM 'FAILED_OVER' AND (unwell_since IS NOT NULL OR failover_step IS NOT NULL)
      AND failover_due_at <= statement_timestamp() AND (
        failover_step IS NOT NULL
        OR unwell_since <= svc_now(tenant_id) - failover_minutes * interval '1 minute' AND (
          state = 'PAUSED' OR state = 'ACTIVE' AND EXISTS (
            SELECT FROM webhook_delivery hot WHERE hot.endpoint_id = endpoint.id AND hot.attempt > 1)))
    ORDER BY failover_due_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)
  RETURNING id AS "endpointId", tenant_id AS "tenantId", session_id AS "sessionId", failover_step AS step`;

/** Notes that the session has failed over; what has become due meanwhile, such as the way back, waits no longer. */
export const OVER_SQL = `UPDATE webhook_endpoint SET failover_due_at = '-infinity',
    failover_step = CASE failover_step WHEN 'FAILING_OVER' THEN 'FAILED_OVER' ELSE failover_step END
  WHERE id = $1 AND failover_step IN ('FAILING_OVER', 'WELL_AGAIN')`;

/** Notes that there is nothing to fail over: somebody has asked for the mode that holds. */
export const GIVE_UP_SQL = `UPDATE webhook_endpoint SET failover_due_at = '-infinity', failover_step = NULL, unwell_since = NULL
  WHERE id = $1 AND failover_step = $2`;

/** Notes that the session has come back. */
export const BACK_SQL = `UPDATE webhook_endpoint SET failover_due_at = '-infinity', failover_step = NULL
  WHERE id = $1 AND failover_step = 'WELL_AGAIN'`;

/**
 * Takes in what a tenant has said of the fail-over. Whoever enables external mode has it begin anew: the caller changes the mode, and where
 * it is cut off before that, the fail-over is taken back a little later.
 */
export function applyFailover(row: Endpoint, { enabled, failover }: PutBoundEndpointV1): void {
  if (failover !== undefined) row.failoverMinutes = failover?.afterMinutes ?? null;
  if (!enabled) return;
  row.unwellSince = null;
  if (row.failoverStep === null) return;
  row.failoverStep = 'WELL_AGAIN';
  row.failoverDueAt = new Date(Date.now() + CLAIM_MS);
}
