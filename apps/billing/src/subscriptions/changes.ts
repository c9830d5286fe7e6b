import { type Envelope, SubscriptionChanged, type SubscriptionChangedV1 } from '@svc/contracts';
import { envelopeOf } from '@svc/messaging';
import { insertAuditFacts, insertEvents } from '@svc/service';
import type { EntityManager } from 'typeorm';
import { auditFactOfChange } from './change-publisher.js';
import {
  type AboutChange,
  changeOf,
  differs,
  type LockedSubscription,
  type SubscriptionChange,
} from './subscription-change.js';

// The whole change has one time, read once the row is locked.
const NOW_SQL = 'SELECT svc_now($1) AS now FROM subscription WHERE tenant_id = $1 FOR UPDATE';
const LOCKED_SQL = `SELECT tenant_id AS "tenantId", status, internal, kept_overage AS "keptOverage", provider_id AS "providerId", looks AS syncs,
    period_ends_at AS "periodEndsAt",
    CASE WHEN next_plan_at <= $2 THEN next_plan ELSE plan END AS plan,
    CASE WHEN next_plan_at > $2 THEN next_plan END AS "nextPlan",
    CASE WHEN next_plan_at > $2 THEN next_plan_at END AS "nextPlanAt", $2::timestamptz AS now
  FROM subscription WHERE tenant_id = $1`;

// The grace of a state counts from when it began, not from when it was set last.
const WRITE_SQL = `UPDATE subscription SET plan = $2, next_plan = $3, next_plan_at = $4, status = $5,
    status_since = CASE WHEN status = $5 THEN status_since ELSE svc_now(tenant_id) END
  WHERE tenant_id = $1`;

/** Locks the subscription until the transaction ends and reads it; undefined: there is none. */
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
 * Writes the change, and its event and audit fact where anything differs from before.
 * @returns the event, to be published after the commit.
 */
export async function changeSubscription(
  tx: EntityManager,
  before: LockedSubscription,
  change: SubscriptionChange,
  actor: string,
): Promise<Envelope<SubscriptionChangedV1>[]> {
  const after = { ...before, ...change };
  const { tenantId, plan, status, nextPlan, nextPlanAt } = after;
  await tx.query(WRITE_SQL, [tenantId, plan, nextPlan, nextPlanAt, status]);
  return differs(before, after) ? insertChange(tx, before, after, { actor }) : [];
}

/**
 * Writes the event of a change and its audit fact into the outboxes; every gateway drops the answers of the tenant when it gets the event.
 * @returns the event, to be published after the commit.
 */
export async function insertChange(
  tx: EntityManager,
  before: LockedSubscription,
  after: LockedSubscription,
  about: AboutChange,
): Promise<Envelope<SubscriptionChangedV1>[]> {
  const { tenantId } = before;
  const data = changeOf(before, after, about);
  const event = envelopeOf(SubscriptionChanged, { tenantId, occurredAt: data.timestamp }, data);
  await insertEvents(tx, [event]);
  await insertAuditFacts(tx, [auditFactOfChange(event)]);
  return [event];
}
