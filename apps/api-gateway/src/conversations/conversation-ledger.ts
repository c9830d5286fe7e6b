import { Injectable } from '@nestjs/common';
import { GroupCommit } from '@svc/database';
import { log } from '@svc/service';
import { DataSource } from 'typeorm';
import { conversationIdOf } from './conversation-id.js';

/** A message, as far as it moves its conversation. */
export interface Heard {
  id: string;
  tenantId: string;
  sessionId: string;
  contact: string;
  createdAt: Date;
}

/** Messages of one statement at most. */
const MOST = 256;
/** A send that is accepted does not wait long for a database that is away: its event makes up for it. */
const PATIENCE_MS = 1_000;
/** Places that a row remembers: how often a conversation may move during one walk through the list without coming twice. */
export const PLACES_KEPT = 32;
/** How long a cursor of the list holds; what a conversation remembers of before is of no use. */
export const WALK_MICROS = 3_600_000_000;

/** Microseconds of the clock of the database. */
export const NOW = `(extract(epoch FROM clock_timestamp()) * 1000000)::bigint`;

// In the order of their ids, so that two of these statements wait for each other at most once. A message that is older than the newest
// moves nothing: it may well be told more than once.
const MOVE_SQL = `
  INSERT INTO conversation AS c (id, tenant_id, session_id, contact, last_message_id, last_at, place, moved_by)
  SELECT id, tenant_id, session_id, contact, message_id, at, ${NOW} + n, pg_current_xact_id()::text::bigint
  FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::uuid[], $6::timestamptz[])
    WITH ORDINALITY AS heard (id, tenant_id, session_id, contact, message_id, at, n)
  ORDER BY id
  ON CONFLICT (id) DO UPDATE SET last_message_id = excluded.last_message_id, last_at = excluded.last_at,
    place = greatest(excluded.place, c.place + 1), moved_by = excluded.moved_by,
    past = jsonb_build_array(jsonb_build_array(c.moved_by, c.place)) ||
      CASE WHEN c.place < ${NOW} - ${2 * WALK_MICROS} THEN '[]'
        ELSE jsonb_path_query_array(c.past, '$[0 to ${PLACES_KEPT - 2}]') END
  WHERE (excluded.last_at, excluded.last_message_id) > (c.last_at, c.last_message_id)`;

// A message that was accepted by a process which died before it told the conversation, or by one of an earlier release.
const MISSED_SQL = `
  SELECT m.id, m.tenant_id AS "tenantId", m.session_id AS "sessionId", m.contact, m.created_at AS "createdAt"
  FROM message m WHERE m.tenant_id = $1 AND m.id = $2 AND NOT EXISTS (
    SELECT FROM conversation c WHERE c.id = $3 AND (c.last_at, c.last_message_id) >= (m.created_at, m.id))`;

/** Keeps the list of conversations: each moves to the top with its newest message. */
@Injectable()
export class ConversationLedger {
  private readonly moves = new GroupCommit<Heard, void>({
    most: MOST,
    patienceMs: PATIENCE_MS,
    write: (heard) => this.write(heard),
  });

  constructor(private readonly dataSource: DataSource) {}

  /** Resolves when the conversation has moved. A repeat changes nothing. */
  async heard({ id, tenantId, sessionId, contact, createdAt }: Heard): Promise<void> {
    await this.moves.add({ id, tenantId, sessionId, contact, createdAt });
  }

  /** Of a message that is accepted whether or not this succeeds: the event that tells of its outcome makes up for it. */
  async accepted(message: Heard): Promise<void> {
    await this.heard(message).catch((error: unknown) =>
      log().warn({ jobId: message.id, err: error }, 'a conversation moves later'),
    );
  }

  /** Makes up for a send that did not move its conversation. */
  async toldOf(job: { id: string; tenantId: string; sessionId: string; contact: string }): Promise<void> {
    const parameters = [job.tenantId, job.id, conversationIdOf(job)];
    const [missed] = await this.dataSource.query<Heard[]>(MISSED_SQL, parameters);
    if (missed) await this.heard(missed);
  }

  private async write(all: Heard[]): Promise<void[]> {
    const heard = [...newestOf(all)];
    await this.dataSource.query(MOVE_SQL, [
      heard.map(([id]) => id),
      heard.map(([, { tenantId }]) => tenantId),
      heard.map(([, { sessionId }]) => sessionId),
      heard.map(([, { contact }]) => contact),
      heard.map(([, { id }]) => id),
      heard.map(([, { createdAt }]) => createdAt),
    ]);
    return all.map(() => undefined);
  }
}

/** A statement changes a row once; in the order of the messages. */
function newestOf(all: Heard[]): Map<string, Heard> {
  const newest = new Map<string, Heard>();
  const inOrder = all.toSorted((a, b) => +a.createdAt - +b.createdAt || (a.id < b.id ? -1 : 1));
  for (const one of inOrder) {
    const id = conversationIdOf(one);
    newest.delete(id);
    newest.set(id, one);
  }
  return newest;
}
