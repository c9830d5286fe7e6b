import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { AuditBreak, AuditVerdict } from '@svc/contracts';
import { DataSource, IsNull, MoreThan, Not } from 'typeorm';
import { AuditRecord } from './audit-record.entity.js';
import { factOf, hashOf, NO_HASH } from './chain.js';

const BATCH = 1_000;
const MISSING = 'It is missing.';

// One statement reads both, because an entry and its head are written together. Entries of before the chain have no place; one that came
// after its beginning was put in.
const END_SQL = `SELECT head.place, head.hash,
    EXISTS (SELECT FROM audit_log WHERE tenant_id = $1 AND place > head.place) AS beyond,
    EXISTS (SELECT FROM audit_log WHERE tenant_id = $1 AND place IS NULL
      AND seq > (SELECT seq FROM audit_log WHERE tenant_id = $1 AND place = 1)) AS beside
  FROM audit_head head WHERE tenant_id = $1`;

interface EndRow {
  place: number;
  hash: Buffer;
  beyond: boolean;
  beside: boolean;
}

/** Recomputes chains, entry by entry: says where the first one is changed, missing or put in. */
@Injectable()
export class AuditVerifier {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** @param stopping ends it after the tenant that it is at. */
  async verify(tenantId: string | undefined, stopping?: AbortSignal): Promise<AuditVerdict> {
    const verdict: AuditVerdict = { tenants: 0, entries: 0, breaks: [] };
    for (const id of await this.tenants(tenantId)) {
      if (stopping?.aborted) break;
      const { entries, problem } = await this.walk(id);
      verdict.tenants += 1;
      verdict.entries += entries;
      if (problem) verdict.breaks.push(problem);
    }
    return verdict;
  }

  /** Reads the ids of the tenants that have a head, and of those whose head is missing. */
  private async tenants(tenantId: string | undefined): Promise<string[]> {
    const rows = await this.dataSource.query<{ id: string }[]>(
      `SELECT tenant_id AS id FROM audit_head WHERE $1::uuid IS NULL OR tenant_id = $1
       UNION SELECT tenant_id FROM audit_log WHERE place IS NOT NULL AND ($1::uuid IS NULL OR tenant_id = $1) ORDER BY id`,
      [tenantId ?? null],
    );
    return rows.map(({ id }) => id);
  }

  /** Walks along a chain. The head is read first: what is written meanwhile comes after it. */
  private async walk(tenantId: string): Promise<{ entries: number; problem?: AuditBreak }> {
    const broken = (place: number, problem: string) => ({
      entries: place - 1,
      problem: { tenantId, place, problem },
    });
    const [head] = await this.dataSource.query<EndRow[]>(END_SQL, [tenantId]);
    if (!head) return broken(1, 'The end of the chain is not known.');
    let place = 0;
    let hash: Buffer = NO_HASH;
    while (place < head.place) {
      const batch = await this.after(tenantId, place);
      if (batch.length === 0) return broken(place + 1, MISSING);
      for (const record of batch) {
        if (place === head.place) break;
        const problem = problemWith(record, place + 1, hash);
        if (problem) return broken(place + 1, problem);
        [place, hash] = [place + 1, record.hash as Buffer];
      }
    }
    if (!hash.equals(head.hash)) return broken(head.place, 'The chain does not end as it should.');
    if (head.beyond || head.beside)
      return broken(head.place + 1, 'There are entries that are not in the chain.');
    return { entries: place };
  }

  private after(tenantId: string, place: number): Promise<AuditRecord[]> {
    return this.dataSource.getRepository(AuditRecord).find({
      where: { tenantId, place: place === 0 ? Not(IsNull()) : MoreThan(place) },
      order: { place: 'ASC' },
      take: BATCH,
    });
  }
}

function problemWith(record: AuditRecord, place: number, hash: Buffer): string | undefined {
  if (record.place !== place) return MISSING;
  if (!record.prevHash?.equals(hash)) return 'It does not follow the entry before.';
  return record.hash?.equals(hashOf(hash, factOf(record))) ? undefined : 'It is not what was written.';
}
