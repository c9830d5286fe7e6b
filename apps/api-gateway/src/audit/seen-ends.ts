import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';

// The end that was seen stays: only a chain that goes on from there moves it.
const KEEP_SQL = `INSERT INTO audit_seen AS seen (tenant_id, place, hash) VALUES ($1, $2, $3)
  ON CONFLICT (tenant_id) DO UPDATE SET place = excluded.place, hash = excluded.hash, seen_at = clock_timestamp()
    WHERE seen.place < excluded.place`;

/** End of a chain when it was verified. */
export interface SeenEnd {
  place: number;
  hash: Buffer;
  seenAt: Date;
}

/** This class remembers where chains ended: a log that has lost its end, and its head with it, is whole by itself. */
@Injectable()
export class SeenEnds {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async of(tenantId: string): Promise<SeenEnd | undefined> {
    const sql = 'SELECT place, hash, seen_at AS "seenAt" FROM audit_seen WHERE tenant_id = $1';
    const [row] = await this.dataSource.query<SeenEnd[]>(sql, [tenantId]);
    return row;
  }

  async keep(tenantId: string, { place, hash }: Omit<SeenEnd, 'seenAt'>): Promise<void> {
    await this.dataSource.query(KEEP_SQL, [tenantId, place, hash]);
  }
}
