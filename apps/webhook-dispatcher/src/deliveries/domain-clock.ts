import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';

const OFFSETS_SQL = `SELECT tenant, round(extract(epoch FROM svc_now(tenant)) * 1000)::float8 AS now
  FROM unnest($1::uuid[]) AS tenant`;
/** Stands for tenants whose own offset is not known yet. */
const ANY_TENANT = '00000000-0000-0000-0000-000000000000';

/**
 * Domain time as this process believes it to be, for timers only: the database decides what is due. The offset is asked
 * for again and again, because `clock set` and the sandbox clock move it.
 */
@Injectable()
export class DomainClock {
  private offsets = new Map<string, number>();

  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  readonly now = (tenantId: string): number =>
    Date.now() + (this.offsets.get(tenantId) ?? this.offsets.get(ANY_TENANT) ?? 0);

  /** Asks for the offsets of these tenants. */
  async refresh(tenants: string[]): Promise<void> {
    const rows = await this.dataSource.query<{ tenant: string; now: number }[]>(OFFSETS_SQL, [
      [ANY_TENANT, ...tenants],
    ]);
    const here = Date.now();
    this.offsets = new Map(rows.map(({ tenant, now }) => [tenant, now - here]));
  }
}
