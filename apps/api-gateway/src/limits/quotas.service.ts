import { Injectable } from '@nestjs/common';
import { AppError, type Quota, quotaConflict, type SubscriptionState } from '@svc/contracts';
import { DataSource, type EntityManager } from 'typeorm';
import { SubscriptionsService } from '../subscriptions/subscriptions.service.js';
import { entitlementsOf } from './entitlements.js';

/** Things that the gateway counts by its rows, each as a statement that knows the tenant as $1. */
const COUNTS = {
  // A key and those that it has replaced are one, whichever of them works: a rotation takes no room, and a revoked successor makes none.
  keys: `SELECT count(DISTINCT coalesce(first_kid, kid))::int FROM api_key
    WHERE tenant_id = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > (SELECT svc_now($1)))`,
  widgets: 'SELECT count(*)::int FROM widget WHERE tenant_id = $1',
  scheduled: 'SELECT count(*)::int FROM scheduled_message WHERE tenant_id = $1',
  uploads: 'SELECT coalesce(sum(bytes), 0)::float8 FROM kept_uploads WHERE tenant_id = $1',
} as const;

const COUNT_ALL_SQL = `SELECT ${Object.entries(COUNTS)
  .map(([name, sql]) => `(${sql}) AS ${name}`)
  .join(', ')}`;

/** Statement with which an insert into a bounded list waits for the others of its tenant; sends and reads do not. */
export const LOCK_TENANTS_SQL = 'SELECT FROM tenant WHERE id = ANY($1::uuid[]) ORDER BY id FOR NO KEY UPDATE';

/** Amount that a tenant has of each thing that is counted. */
export type QuotaCounts = Record<keyof typeof COUNTS, number>;

/** This class says how much a tenant may have of what it accumulates, and how much it has. */
@Injectable()
export class QuotasService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly subscriptions: SubscriptionsService,
  ) {}

  /** Asks how much of something a tenant may have; null: any amount. */
  async most(tenantId: string, quota: Quota): Promise<number | null> {
    return mostOf(await this.subscriptions.of(tenantId), quota);
  }

  /**
   * Checks that there is room for one more row, in the transaction that inserts it. Of two at once the second counts the row of the first.
   * @throws AppError `QUOTA_CONFLICT`
   */
  async assertRoom(
    tx: EntityManager,
    tenantId: string,
    quota: 'keys' | 'widgets',
    most: number | null,
  ): Promise<void> {
    if (most === null) return;
    await tx.query(LOCK_TENANTS_SQL, [[tenantId]]);
    const [row] = await tx.query<[{ used: number }]>(`SELECT (${COUNTS[quota]}) AS used`, [tenantId]);
    if (row.used >= most) throw quotaConflict(quota, most, row.used);
  }

  async counts(tenantId: string): Promise<QuotaCounts> {
    const [counts] = await this.dataSource.query<[QuotaCounts]>(COUNT_ALL_SQL, [tenantId]);
    return counts;
  }
}

/**
 * Reads how much of something a tenant may have; null: any amount.
 * @throws AppError `UPSTREAM_UNAVAILABLE` where `billing` is of an earlier release, which does not say it.
 */
export function mostOf(subscription: SubscriptionState, quota: Quota | 'scheduled'): number | null {
  const most = entitlementsOf(subscription)[quota];
  if (most === undefined) throw new AppError('UPSTREAM_UNAVAILABLE');
  return most;
}
