import type { DataSource } from 'typeorm';

/** Reads how many bytes of files that have arrived are kept of a tenant. */
export async function keptBytes(dataSource: DataSource, tenantId: string): Promise<number> {
  const [{ bytes }] = await dataSource.query<[{ bytes: number }]>(
    'SELECT coalesce(sum(bytes), 0)::float8 AS bytes FROM inbound_media WHERE tenant_id = $1 AND bytes IS NOT NULL',
    [tenantId],
  );
  return bytes;
}
