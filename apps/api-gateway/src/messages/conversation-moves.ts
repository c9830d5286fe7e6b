import { v5 as uuidv5 } from 'uuid';

/** How long a cursor of the list holds; what a conversation remembers of before is of no use. */
export const WALK_MICROS = 3_600_000_000;

/** Microseconds of the clock of the database. */
export const NOW = `(extract(epoch FROM clock_timestamp()) * 1000000)::bigint`;

/**
 * Statement that moves conversations to the top of the list, each with the newest of its messages; part of the one that writes them, so
 * that no message is without its conversation. A message that is older than the newest moves nothing. A trigger takes what `past` has no
 * room for into `conversation_past`, so that this stays one cheap statement.
 * @param messages relation with conversation_id, tenant_id, session_id, contact, id and created_at of messages
 */
export const moveSql = (messages: string): string => `
  INSERT INTO conversation AS c (id, tenant_id, session_id, contact, last_message_id, last_at, place, moved_by)
  SELECT conversation_id, tenant_id, session_id, contact, id, created_at,
    ${NOW} + row_number() OVER (ORDER BY created_at, id), pg_current_xact_id()::text::bigint
  FROM (SELECT DISTINCT ON (conversation_id) * FROM ${messages} all_of_them
    ORDER BY conversation_id, created_at DESC, id DESC) newest
  ORDER BY conversation_id -- so that two of these statements wait for each other at most once
  ON CONFLICT (id) DO UPDATE SET last_message_id = excluded.last_message_id, last_at = excluded.last_at,
    place = greatest(excluded.place, c.place + 1), moved_by = excluded.moved_by,
    past = jsonb_build_array(jsonb_build_array(c.moved_by, c.place)) ||
      CASE WHEN c.place < ${NOW} - ${2 * WALK_MICROS} THEN '[]' ELSE c.past END
  WHERE (excluded.last_at, excluded.last_message_id) > (c.last_at, c.last_message_id)`;

/** Id of the conversation of a session with a chat: it follows from the message, without asking. */
export function conversationIdOf(chat: { tenantId: string; sessionId: string; contact: string }): string {
  return uuidv5(`${chat.sessionId}|${chat.contact}`, chat.tenantId);
}
