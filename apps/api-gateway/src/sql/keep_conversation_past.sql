-- Trigger function: moves the places that a conversation remembers into a row of their own when its row has no room left
-- (migration PastOfConversations). That is under the lock of the conversation's row: none is lost.
CREATE OR REPLACE FUNCTION keep_conversation_past() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  INSERT INTO conversation_past (conversation_id, since, until, steps)
  VALUES (OLD.id, (OLD.past -> -1 ->> 1)::bigint, OLD.place, OLD.past);
  NEW.past = jsonb_build_array(NEW.past -> 0);
  RETURN NEW;
END $body$;
