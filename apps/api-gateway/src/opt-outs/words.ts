import { isGroup, type MessageBody, type MessageOrigin } from '@svc/contracts';

/** A message that came from the platform. */
interface Said {
  direction: string;
  contact: string;
  body: MessageBody;
  origin: MessageOrigin | null;
}

/** Longest text that may be a word by which a contact opts out. */
const MOST_CHARACTERS = 60;
/** Characters that may stand around a word: spaces, punctuation and symbols. */
const AROUND = /^[\s\p{P}\p{S}]+|[\s\p{P}\p{S}]+$/gu;

/** Writes a word as it is compared: neither its case nor what stands around it counts. It is empty where there is no letter and no digit. */
export function comparable(word: string): string {
  return word.normalize('NFKC').toLowerCase().replaceAll(AROUND, '');
}

/** Reads the one word that a message of a contact may be; null where it is more than that, or not a message of its own. */
export function wordOf({ direction, contact, body, origin }: Said): string | null {
  if (direction !== 'INBOUND' || isGroup(contact) || origin?.change || body.type !== 'text') return null;
  const { text = '' } = body;
  return text.length > MOST_CHARACTERS ? null : comparable(text) || null;
}

/**
 * Writes the statement that notes who has opted out, or in again; part of the one that writes their messages. Events come in any order: the
 * newest message holds.
 * @param messages relation with tenant_id, session_id, contact, id, created_at and word of messages
 */
export const optSql = (messages: string): string => `
  INSERT INTO opt_out AS o (tenant_id, contact, is_out, word, session_id, changed_at)
  SELECT DISTINCT ON (said.tenant_id, said.contact) said.tenant_id, said.contact, said.word = ANY(w.words), said.word, said.session_id, said.created_at
  FROM ${messages} said JOIN opt_out_words w ON w.tenant_id = said.tenant_id
  WHERE said.word = ANY(w.words || w.resume_words)
  ORDER BY said.tenant_id, said.contact, said.created_at DESC, said.id DESC
  ON CONFLICT (tenant_id, contact) DO UPDATE SET is_out = excluded.is_out, word = excluded.word, session_id = excluded.session_id,
    changed_at = excluded.changed_at
  WHERE excluded.changed_at > o.changed_at AND excluded.is_out <> o.is_out`;
