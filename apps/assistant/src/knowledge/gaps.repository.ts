import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { GapsReply, KnowledgeRef, ListedGap, ListGapsV1 } from '@svc/contracts';
import { DataSource } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import type { Asked } from './asked.js';
import { storable } from '../storable.js';
import { wordsOf } from './words.js';

/** Most gaps of one session: those asked longest ago go first. */
const GAPS_MAX = 500;
/** Most characters that are kept of a question. */
const QUESTION_MAX = 500;
/** Most chats that are kept of a gap; the text is that of the first one. */
const CHATS_MAX = 50;

const NOTE_SQL = `INSERT INTO knowledge_gap AS g (id, session_id, tenant_id, words_hash, question, chats, turn_id, first_at, last_at)
  VALUES ($1, $2, $3, $4, $5, ARRAY[$6::text], $7, svc_now($3), svc_now($3))
  ON CONFLICT (session_id, words_hash) DO UPDATE SET
    count = g.count + (g.turn_id <> excluded.turn_id)::integer, turn_id = excluded.turn_id, last_at = excluded.last_at,
    chats = CASE WHEN $6 = ANY (g.chats) OR cardinality(g.chats) >= ${CHATS_MAX} THEN g.chats ELSE g.chats || $6::text END`;
const FORGET_OLD_SQL = `DELETE FROM knowledge_gap WHERE id IN (SELECT id FROM knowledge_gap WHERE session_id = $1
  ORDER BY last_at DESC, id OFFSET ${GAPS_MAX})`;
const BEFORE = `(timestamptz 'epoch' + $3::bigint * interval '1 microsecond')`;
const LIST_SQL = `SELECT id, question, count, first_at AS "firstAt", last_at AS "lastAt",
    (extract(epoch FROM last_at) * 1000000)::bigint || '/' || id AS place
  FROM knowledge_gap WHERE session_id = $1 AND tenant_id = $2
    AND ($3::bigint IS NULL OR last_at < ${BEFORE} OR (last_at = ${BEFORE} AND id > $4::uuid))
  ORDER BY last_at DESC, id LIMIT $5`;
const DELETE_SQL =
  'DELETE FROM knowledge_gap WHERE session_id = $1 AND tenant_id = $2 AND id = $3 RETURNING id';

interface GapRow extends Omit<ListedGap, 'firstAt' | 'lastAt'> {
  firstAt: Date;
  lastAt: Date;
}

/** This repository keeps questions to which no source has an answer: one in the same words, in any order, is the same one. */
@Injectable()
export class GapsRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Notes that a contact has asked something, once for each turn. What has no words, as a picture, is no question. */
  async note({ id: turnId, sessionId, tenantId, chat }: Asked, question: string): Promise<void> {
    const words = wordsOf(question);
    if (words.length === 0) return;
    const hash = createHash('sha256').update(words.toSorted().join(' ')).digest();
    const text = storable(question.slice(0, QUESTION_MAX));
    await this.dataSource.query(NOTE_SQL, [uuidv7(), sessionId, tenantId, hash, text, chat, turnId]);
    await this.dataSource.query(FORGET_OLD_SQL, [sessionId]);
  }

  /** Lists the gaps of a session, those asked last first. */
  async list({ sessionId, tenantId, before, limit }: ListGapsV1): Promise<GapsReply> {
    const [micros = null, id = null] = before?.split('/') ?? [];
    const rows = await this.dataSource.query<GapRow[]>(LIST_SQL, [sessionId, tenantId, micros, id, limit]);
    return {
      gaps: rows.map(({ firstAt, lastAt, ...row }) => ({
        ...{ ...row, firstAt: firstAt.toISOString(), lastAt: lastAt.toISOString() },
      })),
    };
  }

  /** @returns false where the session has no gap with this id. */
  async delete({ sessionId, tenantId, id }: KnowledgeRef): Promise<boolean> {
    const [rows] = await this.dataSource.query<[unknown[], number]>(DELETE_SQL, [sessionId, tenantId, id]);
    return rows.length > 0;
  }
}
