import { Injectable } from '@nestjs/common';
import { LongReads } from '@svc/service';
import { DataSource } from 'typeorm';
import type { Conversation } from './conversation.entity.js';
import { NOW } from '../messages/messages.repository.js';

/** The conversations of a list: those of a tenant, or of one session. */
export interface ConversationFilter {
  tenantId: string;
  sessionId?: string;
}

/** Position of a walk through the list. */
export interface WalkPosition {
  /** The snapshot of the database at the first page, and its time in microseconds. */
  snapshot: string;
  startedAt: string;
  /** Place of the last conversation at the time of the walk. */
  place: string;
  id: string;
}

/** A conversation, with its place in this walk. */
export type ListedConversation = Pick<
  Conversation,
  'id' | 'sessionId' | 'contact' | 'lastMessageId' | 'lastAt' | 'place'
>;

/**
 * Longest time that a statement takes to commit a move, in µs: an older move is visible, also after a restore, which counts transactions
 * anew.
 */
const COMMIT_MICROS = 60_000_000;

const COLUMNS = `c.id, c.session_id AS "sessionId", c.contact, c.last_message_id AS "lastMessageId", c.last_at AS "lastAt"`;
const MINE = `c.tenant_id = $1 AND ($2::uuid IS NULL OR c.session_id = $2)`;
const MINE_OF_SESSION = `c.tenant_id = $1 AND c.session_id = $2`;

const firstSql = (mine: string): string => `
  SELECT ${COLUMNS}, c.place, pg_current_snapshot()::text AS snapshot, ${NOW} AS "startedAt"
  FROM conversation c WHERE ${mine} ORDER BY c.place DESC, c.id DESC LIMIT $3`;

const seen = (by: string, place: string): string =>
  `(${place} < $5::bigint - ${COMMIT_MICROS} OR pg_visible_in_snapshot((${by})::text::xid8, $4::pg_snapshot))`;

/** Finds the newest of these steps that the walk's snapshot shows. */
const seenStep = (steps: string, newestFirst: string): string => `
  SELECT (step ->> 1)::bigint FROM ${steps} WITH ORDINALITY AS past (step, n)
  WHERE ${seen('step ->> 0', '(step ->> 1)::bigint')} ORDER BY ${newestFirst} LIMIT 1`;

/**
 * Reads the list as it was when the walk began: what has not moved since stands where it stood, and what has moved remembers where that
 * was, in its row or, where it moved often, beside it. A conversation that began since was nowhere.
 */
const nextSql = (mine: string): string => `
  WITH stayed AS (
    SELECT c.id, c.place FROM conversation c
    WHERE ${mine} AND (c.place, c.id) < ($6::bigint, $7::uuid) AND ${seen('c.moved_by', 'c.place')}
    ORDER BY c.place DESC, c.id DESC LIMIT $3),
  moved AS MATERIALIZED (
    SELECT c.id, coalesce((${seenStep('jsonb_array_elements(c.past)', 'n')}), (${seenStep(
      `(SELECT * FROM conversation_past WHERE conversation_id = c.id AND since <= $5::bigint + ${COMMIT_MICROS}) chunk,
        jsonb_array_elements(chunk.steps)`,
      'since DESC, n',
    )})) AS place
    FROM conversation c WHERE ${mine} AND c.place >= $5::bigint - ${COMMIT_MICROS} AND NOT ${seen('c.moved_by', 'c.place')}),
  page AS (
    SELECT id, place FROM (TABLE stayed UNION ALL TABLE moved) walk
    WHERE (place, id) < ($6::bigint, $7::uuid) ORDER BY place DESC, id DESC LIMIT $3)
  SELECT ${COLUMNS}, page.place FROM page JOIN conversation c USING (id) ORDER BY page.place DESC, page.id DESC`;

/** This class reads the list of conversations page by page, the one with the newest message first. */
@Injectable()
export class ConversationListRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly reads: LongReads,
  ) {}

  /** Reads the first page, and where its walk begins: null where there is nothing. */
  async first(
    filter: ConversationFilter,
    most: number,
  ): Promise<{ rows: ListedConversation[]; walk: WalkPosition | null }> {
    const { tenantId, sessionId = null } = filter;
    const sql = firstSql(conditionOf(filter));
    const rows = await this.reads.run(tenantId, () =>
      this.dataSource.query<(ListedConversation & WalkPosition)[]>(sql, [tenantId, sessionId, most]),
    );
    return { rows, walk: rows[0] ?? null };
  }

  /** Reads the page behind a position. */
  next(
    filter: ConversationFilter,
    { snapshot, startedAt, place, id }: WalkPosition,
    most: number,
  ): Promise<ListedConversation[]> {
    const { tenantId, sessionId = null } = filter;
    const parameters = [tenantId, sessionId, most, snapshot, startedAt, place, id];
    const sql = nextSql(conditionOf(filter));
    return this.reads.run(tenantId, () => this.dataSource.query<ListedConversation[]>(sql, parameters));
  }
}

/** Writes the condition of a filter; each has an index in the order of the list. */
function conditionOf({ sessionId }: ConversationFilter): string {
  return sessionId ? MINE_OF_SESSION : MINE;
}
