import type { EntityManager } from 'typeorm';

const SUSPENDED_SQL = 'SELECT suspended_at IS NOT NULL AS suspended FROM tenant WHERE id = $1';

/** Says whether a tenant is suspended by the operator, or is not there any more. */
export async function isSuspended(db: Pick<EntityManager, 'query'>, tenantId: string): Promise<boolean> {
  const [tenant] = await db.query<{ suspended: boolean }[]>(SUSPENDED_SQL, [tenantId]);
  return tenant?.suspended !== false;
}
