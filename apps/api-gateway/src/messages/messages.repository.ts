import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { conversationIdOf, LIMIT_LAYERS } from '@svc/contracts';
import { GroupCommit } from '@svc/database';
import { ErasedContacts, isErasedSql } from '@svc/service';
import { DataSource, Repository } from 'typeorm';
import { optSql, wordOf } from '../opt-outs/words.js';
import { Message } from './message.entity.js';
import { type Progress, progressRows } from './progress.js';

/** Time for which a cursor of the list holds, in µs; earlier places of a conversation are of no use. */
export const WALK_MICROS = 3_600_000_000;

/** Microseconds of the clock of the database. */
export const NOW = `(extract(epoch FROM clock_timestamp()) * 1000000)::bigint`;

/**
 * Writes the statement that moves conversations to the top of the list, each with the newest of its messages; part of the one that writes
 * them, so that no message is without its conversation there. A message that is older than the newest moves nothing. A trigger takes what
 * `past` has no room for into `conversation_past`, so that this stays one cheap statement.
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

/** A message that came from the platform: a contact wrote it, or the phone itself. */
export type InboundMessage = Pick<
  Message,
  | 'id'
  | 'tenantId'
  | 'sessionId'
  | 'direction'
  | 'status'
  | 'contact'
  | 'keyId'
  | 'sentAt'
  | 'createdAt'
  | 'body'
  | 'origin'
  | 'media'
>;

const ARRIVALS = `SELECT * FROM jsonb_to_recordset($1::jsonb) AS arrived (id uuid, tenant_id uuid, session_id uuid, conversation_id uuid,
    direction text, status text, contact text, key_id text, sent_at timestamptz, created_at timestamptz, body jsonb, origin jsonb, media jsonb,
    persons text, quoted text, mentioned jsonb, happened timestamptz, word text)`;

/** Writes the condition that somebody was erased after a message of `arrived` was written. */
const isErased = (hashes: string): string =>
  isErasedSql({ tenant: 'arrived.tenant_id', hashes, at: 'happened', toThem: 'false' });
// The message of somebody else stays, without the erased person whom it quotes or mentions.
const ORIGIN = `CASE WHEN ${isErased('quoted')} THEN jsonb_set(origin, '{quoted}', 'null') ELSE origin END
      || CASE WHEN mentioned IS NULL THEN '{}' ELSE jsonb_build_object('mentions', (
        SELECT coalesce(jsonb_agg(m.address ORDER BY m.place), '[]')
        FROM ROWS FROM (jsonb_to_recordset(mentioned) AS (address text, hashes text)) WITH ORDINALITY AS m (address, hashes, place)
        WHERE NOT ${isErased('m.hashes')})) END`;

const INSERT_SQL = `WITH arrived AS MATERIALIZED (${ARRIVALS}),
  written AS (
    INSERT INTO message (id, tenant_id, session_id, direction, status, contact, key_id, sent_at, created_at, body, origin, media)
    SELECT id, tenant_id, session_id, direction, status, contact, key_id, sent_at, created_at, body, ${ORIGIN}, media FROM arrived
    WHERE NOT ${isErased('arrived.persons')}
    ORDER BY id ON CONFLICT DO NOTHING RETURNING *),
  opted AS (${optSql('(SELECT written.*, arrived.word FROM written JOIN arrived USING (id))')})
  ${moveSql('(SELECT written.*, conversation_id FROM written JOIN arrived USING (id))')}`;

const ERASING_SQL = `SELECT EXISTS (SELECT FROM erasure WHERE tenant_id = $1
  AND contact IN ($2, (SELECT contact FROM contact_alias WHERE tenant_id = $1 AND alias = $2 LIMIT 1)) AND finished_at IS NULL) AS erasing`;

// The reservations that `limits` asks about are minutes old, or days where it was down: it forgets a unit after 35.
const EXISTING_SQL = `SELECT id FROM message WHERE id = ANY($1)
  AND coalesce(released_at, CASE WHEN send_at IS NULL THEN created_at END) > clock_timestamp() - interval '30 days'
  AND NOT (status = 'FAILED' AND coalesce(failure -> 'givenBack' @> $2::jsonb, false))`;

const HAS_MESSAGES_SQL = `
  SELECT EXISTS (SELECT FROM message WHERE tenant_id = $1 AND session_id = $2
    AND contact IN ($3, (SELECT contact FROM contact_alias WHERE tenant_id = $1 AND alias = $3 AND session_id = $2))
    AND (direction = 'INBOUND' OR status IN ('SENT', 'DELIVERED', 'READ'))) AS "hasMessages"`;

/** An inbound message, and when it happened as erasures look at it. */
interface Arrival {
  message: InboundMessage;
  happened: Date;
}

/** Most messages of one statement. */
const MOST = 256;
/** A state that is seen a moment later is as good (ADR 24). */
const EVERY_MS = 50;
/** Time for which a write waits for a database that is away; after it the event comes again. */
const PATIENCE_MS = 5_000;

/**
 * This class runs the statements that every message needs, written out: the query builder took a sixth of the gateway's CPU. What events
 * tell of many messages at about the same time is written together, and leaves the connections to those who send.
 */
@Injectable()
export class MessagesRepository {
  private readonly progress = new GroupCommit<Progress, void>({
    most: MOST,
    everyMs: EVERY_MS,
    patienceMs: PATIENCE_MS,
    write: (steps) => this.advanceAll(steps),
  });
  private readonly arrivals = new GroupCommit<Arrival, void>({
    most: MOST,
    everyMs: EVERY_MS,
    patienceMs: PATIENCE_MS,
    write: (arrivals) => this.insertAll(arrivals),
  });

  constructor(
    private readonly dataSource: DataSource,
    @InjectRepository(Message) private readonly messages: Repository<Message>,
    private readonly erased: ErasedContacts,
  ) {}

  /** Finds a message of the tenant by its id. */
  find(tenantId: string, id: string): Promise<Message | null> {
    return this.messages.findOneBy({ tenantId, id });
  }

  /** Says whether the contact has written to the session, or was sent a message by it. */
  async knowsContact(tenantId: string, sessionId: string, contact: string): Promise<boolean> {
    const [row] = await this.dataSource.query<{ hasMessages: boolean }[]>(HAS_MESSAGES_SQL, [
      tenantId,
      sessionId,
      contact,
    ]);
    return row?.hasMessages === true;
  }

  /**
   * Finds those of these jobs whose message went out, or may, by the unit that was just taken. A message that has given back its unit is
   * none: where it was canceled while its time came, the unit may have been taken after that. Nor has one that waits for its time,
   * or is older than what is remembered of units: those were taken for repeats of its `clientMessageId`.
   */
  async existing(jobIds: string[]): Promise<string[]> {
    const rows = await this.dataSource.query<{ id: string }[]>(EXISTING_SQL, [
      jobIds,
      JSON.stringify(LIMIT_LAYERS),
    ]);
    return rows.map(({ id }) => id);
  }

  /** Moves an outbound message on, never back; an unknown job belongs to another service. */
  advance(progress: Progress): Promise<void> {
    return this.progress.add(progress);
  }

  /** Says whether messages to this contact are refused, because the contact is being erased. */
  async isBeingErased(tenantId: string, contact: string): Promise<boolean> {
    const [row] = await this.dataSource.query<{ erasing: boolean }[]>(ERASING_SQL, [tenantId, contact]);
    return row?.erasing === true;
  }

  /**
   * Writes a message that came from the platform, and moves its conversation, together; a repeat of the event changes nothing.
   * @param happened when, as erasures look at it: nothing is written of a contact who was erased since.
   */
  insertInbound(message: InboundMessage, happened: Date): Promise<void> {
    return this.arrivals.add({ message, happened });
  }

  private async advanceAll(steps: Progress[]): Promise<void[]> {
    await this.dataSource.query('SELECT advance_messages($1)', [JSON.stringify(progressRows(steps))]);
    return steps.map(() => undefined);
  }

  private async insertAll(arrivals: Arrival[]): Promise<void[]> {
    const rows = JSON.stringify(arrivals.map((arrival) => this.rowOf(arrival)));
    await this.dataSource.query(INSERT_SQL, [rows]);
    return arrivals.map(() => undefined);
  }

  private rowOf({ message, happened }: Arrival): object {
    const { id, tenantId, sessionId, direction, status, contact, keyId, sentAt, createdAt } = message;
    const { sender = contact, quoted, mentions = [] } = message.origin ?? {};
    const hashesOf = (...persons: string[]): string => this.erased.hashesOf(tenantId, persons);
    return {
      ...{ id, tenant_id: tenantId, session_id: sessionId, conversation_id: conversationIdOf(message) },
      ...{ direction, status, contact, key_id: keyId, sent_at: sentAt, created_at: createdAt },
      ...{ body: message.body, origin: message.origin, media: message.media },
      word: wordOf(message),
      persons: hashesOf(...new Set([contact, sender])),
      quoted: quoted?.remoteJid ? hashesOf(quoted.remoteJid) : null,
      mentioned:
        mentions.length > 0 ? mentions.map((address) => ({ address, hashes: hashesOf(address) })) : null,
      happened: happened.toISOString(),
    };
  }
}
