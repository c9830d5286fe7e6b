import type { MigrationInterface, QueryRunner } from 'typeorm';

// A row remembers up to 32 places in `past`, in the statement that moves it, and that stays cheap. The move that finds no room takes them
// out of the row as a whole, under the lock of the row: none is lost, and none of the others pays for it. What has stood still for two
// hours needs nothing of before: a walk lasts one.
const PAST = `
  CREATE TABLE conversation_past (
    conversation_id uuid NOT NULL REFERENCES conversation ON DELETE CASCADE,
    since bigint NOT NULL,
    until bigint NOT NULL,
    steps jsonb NOT NULL,
    PRIMARY KEY (conversation_id, since)
  );
  CREATE INDEX conversation_past_until ON conversation_past (until);
  CREATE FUNCTION keep_conversation_past() RETURNS trigger LANGUAGE plpgsql AS $body$
  BEGIN
    INSERT INTO conversation_past (conversation_id, since, until, steps)
    VALUES (OLD.id, (OLD.past -> -1 ->> 1)::bigint, OLD.place, OLD.past);
    NEW.past = jsonb_build_array(NEW.past -> 0);
    RETURN NEW;
  END $body$;
  CREATE TRIGGER keep_past BEFORE UPDATE OF past ON conversation FOR EACH ROW
    WHEN (jsonb_array_length(OLD.past) >= 32 AND OLD.place >= NEW.place - 7200000000)
    EXECUTE FUNCTION keep_conversation_past();`;

/** Stores earlier places of conversations for the length of a walk, however often they move meanwhile. */
export class PastOfConversations1764001000000 implements MigrationInterface {
  name = 'PastOfConversations1764001000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(PAST);
  }

  async down(): Promise<void> {
    // Forward only: a mistake is mended by the next migration.
  }
}
