import {
  type Envelope,
  type Plan,
  SubscriptionChanged,
  type SubscriptionChangedV1,
  type SubscriptionStatus,
} from '@svc/contracts';
import { envelopeOf } from '@svc/messaging';
import { insertAuditFacts, insertEvents } from '@svc/service';
import type { EntityManager } from 'typeorm';
import { auditFactOfChange } from './change-publisher.js';

/** What a change may touch; columns left out stay. */
export interface SubscriptionChange {
  plan?: Plan;
  status?: SubscriptionStatus;
  nextPlan?: Plan | null;
  nextPlanAt?: Date | null;
}

/** A subscription while its row is locked. */
export interface LockedSubscription {
  tenantId: string;
  /** The plan that holds now. */
  plan: Plan;
  status: SubscriptionStatus;
  nextPlan: Plan | null;
  nextPlanAt: Date | null;
  providerId: string | null;
  periodEndsAt: Date | null;
  looks: number;
  now: Date;
}

// One moment for all of it, read once the row is locked.
const NOW_SQL = 'SELECT svc_now($1) AS now FROM subscription WHERE tenant_id = $1 FOR UPDATE';
const LOCKED_SQL = `SELECT tenant_id AS "tenantId", status, provider_id AS "providerId", looks, period_ends_at AS "periodEndsAt",
    CASE WHEN next_plan_at <= $2 THEN next_plan ELSE plan END AS plan,
    CASE WHEN next_plan_at > $2 THEN next_plan END AS "nextPlan",
    CASE WHEN next_plan_at > $2 THEN next_plan_at END AS "nextPlanAt", $2::timestamptz AS now
  FROM subscription WHERE tenant_id = $1`;

// The grace of a state counts from when it began, not from when it was set last.
const WRITE_SQL = `UPDATE subscription SET plan = $2, next_plan = $3, next_plan_at = $4, status = $5,
    status_since = CASE WHEN status = $5 THEN status_since ELSE svc_now(tenant_id) END
  WHERE tenant_id = $1`;

/** The subscription as it is until the transaction ends; undefined: there is none. */
export async function lockSubscription(
  tx: EntityManager,
  tenantId: string,
): Promise<LockedSubscription | undefined> {
  const [locked] = await tx.query<{ now: Date }[]>(NOW_SQL, [tenantId]);
  if (!locked) return undefined;
  const [row] = await tx.query<LockedSubscription[]>(LOCKED_SQL, [tenantId, locked.now]);
  return row;
}

/**
 * Writes the change, and its event and audit fact where anything is different from before.
 * @returns the event, to be published after the commit.
 */
export async function changeSubscription(
  tx: EntityManager,
  was: LockedSubscription,
  change: SubscriptionChange,
  actor: string,
): Promise<Envelope<SubscriptionChangedV1>[]> {
  const { tenantId, now } = was;
  const is = { ...was, ...change };
  await tx.query(WRITE_SQL, [tenantId, is.plan, is.nextPlan, is.nextPlanAt, is.status]);
  if (is.plan === was.plan && is.status === was.status && is.nextPlan === was.nextPlan) return [];
  const event = envelopeOf(
    SubscriptionChanged,
    { tenantId, occurredAt: now.toISOString() },
    {
      previousPlan: was.plan,
      plan: is.plan,
      previousStatus: was.status,
      status: is.status,
      ...(is.nextPlan && is.nextPlanAt
        ? { nextPlan: is.nextPlan, nextPlanAt: is.nextPlanAt.toISOString() }
        : {}),
      actor,
      timestamp: now.toISOString(),
    },
  );
  await insertEvents(tx, [event]);
  await insertAuditFacts(tx, [auditFactOfChange(event)]);
  return [event];
}
