import type { MigrationInterface, QueryRunner } from 'typeorm';

// A vote may be heard before its poll is, so nothing refers to the message.
const POLL_VOTES = `
  CREATE TABLE poll_vote (
    poll_id uuid NOT NULL,
    voter text NOT NULL,
    tenant_id uuid NOT NULL,
    hidden text,
    chat text NOT NULL,
    options jsonb NOT NULL,
    unknown_options integer NOT NULL,
    unreadable boolean NOT NULL,
    voted_at timestamptz NOT NULL,
    happened_at timestamptz NOT NULL,
    PRIMARY KEY (poll_id, voter)
  );
  CREATE INDEX poll_vote_by_voter ON poll_vote (tenant_id, voter);
  CREATE INDEX poll_vote_by_chat ON poll_vote (tenant_id, chat);`;

/** The last vote of each voter in a poll. */
export class PollVotes1764700000316 implements MigrationInterface {
  name = 'PollVotes1764700000316';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(POLL_VOTES);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
