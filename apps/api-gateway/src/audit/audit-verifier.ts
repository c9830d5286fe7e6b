import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { AuditBreak, AuditVerdict } from '@svc/contracts';
import { DataSource, IsNull, MoreThan, Not } from 'typeorm';
import { AuditRecord } from './audit-record.entity.js';
import { factOf, hashOf, NO_HASH } from './chain.js';
import { type SeenEnd, SeenEnds } from './seen-ends.js';

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

/** Result of a walk through a chain. */
interface Walk {
  entries: number;
  /** Hash of the last entry. */
  hash?: Buffer;
  problem?: AuditBreak;
}

/** Options of a verification. */
interface VerifyOptions {
  /** Ends it after the tenant that it is at. */
  stopping?: AbortSignal | undefined;
  /** Remembers the ends of those that hold, for the next time. */
  remember?: boolean;
}

/**
 * Recomputes chains, entry by entry: says where the first one is changed, missing or put in, and which have lost entries that were there
 * when they were remembered.
 */
@Injectable()
export class AuditVerifier {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly seenEnds: SeenEnds,
  ) {}

  async verify(
    tenantId: string | undefined,
    { stopping, remember = false }: VerifyOptions = {},
  ): Promise<AuditVerdict> {
    const verdict: AuditVerdict = { tenants: 0, entries: 0, breaks: [] };
    for (const id of await this.tenants(tenantId)) {
      if (stopping?.aborted) break;
      const { entries, hash, problem } = await this.walk(id);
      verdict.tenants += 1;
      verdict.entries += entries;
      if (problem) verdict.breaks.push(problem);
      else if (remember && hash) await this.seenEnds.keep(id, { place: entries, hash });
    }
    return verdict;
  }

  /** Those with a head, those whose head is gone, and those that were there once. */
  private async tenants(tenantId: string | undefined): Promise<string[]> {
    const rows = await this.dataSource.query<{ id: string }[]>(
      `SELECT tenant_id AS id FROM audit_head WHERE $1::uuid IS NULL OR tenant_id = $1
       UNION SELECT tenant_id FROM audit_log WHERE place IS NOT NULL AND ($1::uuid IS NULL OR tenant_id = $1)
       UNION SELECT tenant_id FROM audit_seen WHERE $1::uuid IS NULL OR tenant_id = $1 ORDER BY id`,
      [tenantId ?? null],
    );
    return rows.map(({ id }) => id);
  }

  /** Walks along a chain. The head is read first: what is written meanwhile comes after it. */
  private async walk(tenantId: string): Promise<Walk> {
    const broken = (place: number, problem: string) => ({
      entries: place - 1,
      problem: { tenantId, place, problem },
    });
    const seen = await this.seenEnds.of(tenantId);
    const [head] = await this.dataSource.query<EndRow[]>(END_SQL, [tenantId]);
    if (!head) return broken(1, seen ? goneSince(seen) : 'The end of the chain is not known.');
    let place = 0;
    let hash: Buffer = NO_HASH;
    while (place < head.place) {
      const batch = await this.after(tenantId, place);
      if (batch.length === 0) return broken(place + 1, MISSING);
      for (const record of batch) {
        if (place === head.place) break;
        const problem = problemWith(record, place + 1, hash, seen);
        if (problem) return broken(place + 1, problem);
        [place, hash] = [place + 1, record.hash as Buffer];
      }
    }
    const problem = problemAtEnd(head, hash, seen);
    if (problem) return broken(problem.place, problem.problem);
    return { entries: place, hash };
  }

  private after(tenantId: string, place: number): Promise<AuditRecord[]> {
    return this.dataSource.getRepository(AuditRecord).find({
      where: { tenantId, place: place === 0 ? Not(IsNull()) : MoreThan(place) },
      order: { place: 'ASC' },
      take: BATCH,
    });
  }
}

function problemWith(
  record: AuditRecord,
  place: number,
  hash: Buffer,
  seen: SeenEnd | undefined,
): string | undefined {
  if (record.place !== place) return MISSING;
  if (!record.prevHash?.equals(hash)) return 'It does not follow the entry before.';
  if (!record.hash?.equals(hashOf(hash, factOf(record)))) return 'It is not what was written.';
  if (seen?.place !== place || record.hash.equals(seen.hash)) return undefined;
  return `It is not what was there on ${dayOf(seen)}.`;
}

/** Finds the fault at the end of a chain that holds up to its head. */
function problemAtEnd(
  head: EndRow,
  hash: Buffer,
  seen: SeenEnd | undefined,
): Pick<AuditBreak, 'place' | 'problem'> | undefined {
  const next = head.place + 1;
  if (!hash.equals(head.hash)) return { place: head.place, problem: 'The chain does not end as it should.' };
  if (head.beyond || head.beside)
    return { place: next, problem: 'There are entries that are not in the chain.' };
  return seen && head.place < seen.place ? { place: next, problem: goneSince(seen) } : undefined;
}

function goneSince(seen: SeenEnd): string {
  return `It is missing: on ${dayOf(seen)} there were ${seen.place} entries.`;
}

function dayOf({ seenAt }: SeenEnd): string {
  return seenAt.toISOString().slice(0, 10);
}
