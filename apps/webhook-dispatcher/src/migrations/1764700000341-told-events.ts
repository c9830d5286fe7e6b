import { TOLD_EVENTS_SQL } from '@svc/service';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Events that NATS has taken and that not every app has read: their rows stay in the outbox. */
export class ToldEvents1764700000341 implements MigrationInterface {
  name = 'ToldEvents1764700000341';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TOLD_EVENTS_SQL);
  }

  async down(): Promise<void> {
    // Forward only: a step back would lose what was written since.
  }
}
