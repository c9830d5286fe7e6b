import type { MigrationInterface, QueryRunner } from 'typeorm';

const BY_HAND = `
  ALTER TABLE inbound_message ADD COLUMN by_hand_to text, ADD COLUMN by_hand_at timestamptz;
  CREATE INDEX inbound_message_by_hand ON inbound_message (session_id, by_hand_to, by_hand_at) WHERE by_hand_to IS NOT NULL;
  ALTER TABLE outbound_message ADD COLUMN unless_written_since timestamptz`;

/** The journal says to whom the owner of a number has written on the phone: an answer that knows nothing of that does not go out any more. */
export class WrittenByHand1764700000344 implements MigrationInterface {
  name = 'WrittenByHand1764700000344';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(BY_HAND);
  }

  async down(): Promise<void> {
    // Forward only: a step back would lose what was written since.
  }
}
