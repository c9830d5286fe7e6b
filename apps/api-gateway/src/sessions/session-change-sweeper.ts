import { Injectable } from '@nestjs/common';
import { PeriodicTasks } from '@svc/service';
import { DataSource, In } from 'typeorm';
import { SessionChange } from './session-change.entity.js';
import { SessionChanges } from './session-changes.service.js';

const INTERVAL_MS = 500;

// Real time. The claim keeps the other replicas away for as long as settling may take.
const CLAIM_SQL = `UPDATE session_change SET settle_at = clock_timestamp() + interval '30 seconds'
  WHERE session_id IN (
    SELECT session_id FROM session_change WHERE settle_at <= statement_timestamp()
    ORDER BY settle_at LIMIT 20 FOR UPDATE SKIP LOCKED)
  RETURNING session_id AS "sessionId"`;

/** Finishes changes of sessions that were interrupted. */
@Injectable()
export class SessionChangeSweeper {
  constructor(
    private readonly dataSource: DataSource,
    private readonly changes: SessionChanges,
    tasks: PeriodicTasks,
  ) {
    tasks.add('session-change-sweeper', INTERVAL_MS, () => this.sweep());
  }

  private async sweep(): Promise<void> {
    // TypeORM answers UPDATE … RETURNING with [rows, count].
    const [claimed] = await this.dataSource.query<[{ sessionId: string }[], number]>(CLAIM_SQL);
    if (claimed.length === 0) return;
    const sessionId = In(claimed.map((row) => row.sessionId));
    const due = await this.dataSource.getRepository(SessionChange).findBy({ sessionId });
    await Promise.all(due.map((change) => this.changes.trySettle(change)));
  }
}
