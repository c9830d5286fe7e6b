import { AppError } from '@svc/contracts';
import type { EntityManager } from 'typeorm';
import type { Caller } from '../auth/authorization.js';
import { LOCK_TENANTS_SQL } from '../limits/quotas.service.js';

/** Condition of a key that works, may do everything and has no end. */
export const IS_ENDLESS_ADMIN = `revoked_at IS NULL AND expires_at IS NULL AND scopes && '{*,admin:*}'`;

const ENDLESS_ADMIN_SQL = `SELECT EXISTS (SELECT FROM api_key WHERE tenant_id = $1 AND ${IS_ENDLESS_ADMIN}) AS found`;

/**
 * Changes keys of a tenant, one change at a time, and takes back what would leave it without a key that may do everything and has no end:
 * nobody could make another one. A sandbox may be left without: a live key makes its keys.
 * @throws AppError `LAST_ADMIN_KEY`
 */
export async function keepAdminKey<T>(
  tx: EntityManager,
  { tenantId, environment }: Caller,
  change: () => Promise<T>,
): Promise<T> {
  await tx.query(LOCK_TENANTS_SQL, [[tenantId]]);
  const had = environment === 'LIVE' && (await hasEndlessAdmin(tx, tenantId));
  const changed = await change();
  if (had && !(await hasEndlessAdmin(tx, tenantId))) throw new AppError('LAST_ADMIN_KEY');
  return changed;
}

async function hasEndlessAdmin(tx: EntityManager, tenantId: string): Promise<boolean> {
  const [row] = await tx.query<[{ found: boolean }]>(ENDLESS_ADMIN_SQL, [tenantId]);
  return row.found;
}
