import type { Plan, SubscriptionChangedV1, SubscriptionStatus, TokenOverage } from '@svc/contracts';

/** The columns that a change may touch; those left out stay. */
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
  internal: boolean;
  keptOverage: TokenOverage | null;
  nextPlan: Plan | null;
  nextPlanAt: Date | null;
  providerId: string | null;
  periodEndsAt: Date | null;
  /** Counts the syncs with the payment provider. */
  syncs: number;
  now: Date;
}

/** The fields of the event that the subscription itself does not give. */
export type AboutChange = Pick<SubscriptionChangedV1, 'actor' | 'entitlement' | 'reason'>;

/** Says whether a change is worth an event; the date of a later plan alone is not. */
export function differs(before: LockedSubscription, after: LockedSubscription): boolean {
  return after.plan !== before.plan || after.status !== before.status || after.nextPlan !== before.nextPlan;
}

/** Makes the payload of `subscription.changed`. */
export function changeOf(
  before: LockedSubscription,
  { plan, status, nextPlan, nextPlanAt }: LockedSubscription,
  { actor, entitlement, reason }: AboutChange,
): SubscriptionChangedV1 {
  return {
    ...{ previousPlan: before.plan, plan, previousStatus: before.status, status },
    ...(nextPlan && nextPlanAt ? { nextPlan, nextPlanAt: nextPlanAt.toISOString() } : {}),
    ...(entitlement && { entitlement }),
    ...(reason !== undefined && { reason }),
    actor,
    timestamp: before.now.toISOString(),
  };
}
