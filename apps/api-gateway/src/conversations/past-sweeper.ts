import { Injectable } from '@nestjs/common';
import { PeriodicTasks } from '@svc/service';
import { DataSource } from 'typeorm';
import { WALK_MICROS } from '../messages/messages.repository.js';

const INTERVAL_MS = 600_000;

// The condition compares with the time of the statement, for which an index can be used.
const SWEEP_SQL = `DELETE FROM conversation_past
  WHERE until < (extract(epoch FROM statement_timestamp()) * 1000000)::bigint - ${2 * WALK_MICROS}`;

/** This sweeper deletes places of conversations that no walk can ask for any more. */
@Injectable()
export class PastSweeper {
  constructor(
    private readonly dataSource: DataSource,
    tasks: PeriodicTasks,
  ) {
    tasks.add('past of conversations', INTERVAL_MS, () => this.sweep());
  }

  async sweep(): Promise<void> {
    await this.dataSource.query(SWEEP_SQL);
  }
}
