import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { AuditBreak, AuditVerdict } from '@svc/contracts';
import { DataSource, IsNull, MoreThan, Not } from 'typeorm';
import { AuditHead, AuditRecord } from './audit-record.entity.js';
import { factOf, hashOf, NO_HASH } from './chain.js';

const BATCH = 1_000;

/** Recomputes chains, entry by entry: says where the first one is changed, missing or put in. */
@Injectable()
export class AuditVerifier {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async verify(tenantId: string | undefined): Promise<AuditVerdict> {
    const verdict: AuditVerdict = { tenants: 0, entries: 0, breaks: [] };
    for (const id of await this.tenants(tenantId)) {
      const { entries, problem } = await this.walk(id);
      verdict.tenants += 1;
      verdict.entries += entries;
      if (problem) verdict.breaks.push(problem);
    }
    return verdict;
  }

  /** Those with a head, and those whose head is gone. */
  private async tenants(tenantId: string | undefined): Promise<string[]> {
    const rows = await this.dataSource.query<{ id: string }[]>(
      `SELECT tenant_id AS id FROM audit_head WHERE $1::uuid IS NULL OR tenant_id = $1
       UNION SELECT tenant_id FROM audit_log WHERE place IS NOT NULL AND ($1::uuid IS NULL OR tenant_id = $1) ORDER BY id`,
      [tenantId ?? null],
    );
    return rows.map(({ id }) => id);
  }

  /** The head first: what is written meanwhile comes after it. */
  private async walk(tenantId: string): Promise<{ entries: number; problem?: AuditBreak }> {
    const head = await this.dataSource.getRepository(AuditHead).findOneBy({ tenantId });
    if (!head)
      return { entries: 0, problem: { tenantId, place: 1, problem: 'The end of the chain is not known.' } };
    let place = 0;
    let hash: Buffer = NO_HASH;
    while (place < head.place) {
      const batch = await this.after(tenantId, place);
      if (batch.length === 0)
        return { entries: place, problem: { tenantId, place: place + 1, problem: 'missing' } };
      for (const record of batch) {
        if (place === head.place) break;
        const problem = problemWith(record, place + 1, hash);
        if (problem) return { entries: place, problem: { tenantId, place: place + 1, problem } };
        [place, hash] = [place + 1, record.hash as Buffer];
      }
    }
    if (hash.equals(head.hash)) return { entries: place };
    return { entries: place, problem: { tenantId, place, problem: 'The chain does not end as it should.' } };
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
  if (record.place !== place) return 'missing';
  if (!record.prevHash?.equals(hash)) return 'It does not follow the entry before.';
  return record.hash?.equals(hashOf(hash, factOf(record))) ? undefined : 'It is not what was written.';
}
