import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { AuditVerdict } from '@svc/contracts';
import { log, PeriodicTasks } from '@svc/service';
import { DataSource } from 'typeorm';
import { AuditVerifier } from './audit-verifier.js';

const LOOK_MS = 10 * 60 * 1000;

// A day begins at three o'clock UTC, when little is written. What a crash cut off somebody begins again.
const CLAIM_SQL = `INSERT INTO audit_check (day, claimed_at)
  SELECT ((now - interval '3 hours') AT TIME ZONE 'UTC')::date, now FROM clock_timestamp() AS now
  ON CONFLICT (day) DO UPDATE SET claimed_at = excluded.claimed_at
    WHERE audit_check.finished_at IS NULL AND audit_check.claimed_at < excluded.claimed_at - interval '1 hour'
  RETURNING day::text`;

/** Verifies the audit logs of all tenants every night, in one of the replicas, and remembers where each ends. */
@Injectable()
export class AuditWatch {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly verifier: AuditVerifier,
    tasks: PeriodicTasks,
  ) {
    tasks.add('audit watch', LOOK_MS, (stopping) => this.checkDue(stopping));
  }

  /** @returns undefined where this day's check is made already, or elsewhere. */
  async checkDue(stopping?: AbortSignal): Promise<AuditVerdict | undefined> {
    const [claimed] = await this.dataSource.query<{ day: string }[]>(CLAIM_SQL);
    if (!claimed) return undefined;
    const verdict = await this.verifier.verify(undefined, { stopping, remember: true });
    const { tenants, entries, breaks } = verdict;
    for (const found of breaks) log().error(found, 'an audit log is not what was written');
    if (stopping?.aborted) return verdict;
    const finish = 'UPDATE audit_check SET finished_at = clock_timestamp() WHERE day = $1';
    await this.dataSource.query(finish, [claimed.day]);
    log().info({ tenants, entries, breaks: breaks.length }, 'audit logs verified');
    return verdict;
  }
}
