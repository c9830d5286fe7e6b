import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';

const OFFSETS_SQL = `SELECT round(extract(epoch FROM svc_now()) * 1000)::float8 AS now,
  (SELECT coalesce(jsonb_object_agg(tenant_id, offset_ms), '{}') FROM svc_offsets($1)) AS "ownOffsets"`;

interface Offsets {
  now: number;
  ownOffsets: Record<string, number>;
}

/**
 * The clock gives domain time as this process believes it to be, for timers only: the database decides what is due. The offset is asked
 * for again and again, because `clock set` and the sandbox clock move it.
 */
@Injectable()
export class DomainClock {
  /** Offset of all tenants, beside the offsets that some tenants have of their own; in ms. */
  private offset = 0;
  private ownOffsets: Record<string, number> = {};

  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  readonly now = (tenantId: string): number => Date.now() + this.offset + (this.ownOffsets[tenantId] ?? 0);

  /** Asks for the offsets of these tenants. */
  async refresh(tenants: string[]): Promise<void> {
    const [offsets] = await this.dataSource.query<[Offsets]>(OFFSETS_SQL, [tenants]);
    this.offset = offsets.now - Date.now();
    this.ownOffsets = offsets.ownOffsets;
  }
}
