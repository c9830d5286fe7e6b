import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type {
  KnowledgePassage,
  DeleteKnowledgeV1,
  KnowledgeRef,
  KnowledgeSource,
  KnowledgeSourceText,
  ListKnowledgeV1,
  SessionRef,
} from '@svc/contracts';
import { DataSource, type EntityManager } from 'typeorm';
import { type AuditLine, AuditedChanges } from '../audited-changes.js';
import { passagesOf } from './passages.js';
import { SEARCH_SQL } from './search-sql.js';
import { wordsOf } from './words.js';

/** Most characters of all sources of a session. */
export const CHARACTERS_MAX = 1_000_000;
/** Most words of a question that are searched for. */
const ASKED_MAX = 32;

const COLUMNS = `id, CASE WHEN media_id IS NOT NULL THEN 'FILE' WHEN url IS NULL THEN 'TEXT' ELSE 'ADDRESS' END AS kind, title, url, refresh_hours AS "refreshHours",
  CASE WHEN error IS NOT NULL THEN 'FAILED' WHEN read_at IS NULL THEN 'WAITING' ELSE 'READY' END AS state, error, characters,
  is_shortened AS shortened, created_at AS "createdAt", read_at AS "readAt", next_read_at AS "nextReadAt"`;
const LIST_SQL = `SELECT ${COLUMNS} FROM knowledge_source
  WHERE session_id = $1 AND tenant_id = $2 AND ($3::uuid IS NULL OR id < $3) ORDER BY id DESC LIMIT $4`;
const GET_SQL = `SELECT ${COLUMNS}, text FROM knowledge_source WHERE session_id = $1 AND tenant_id = $2 AND id = $3`;
const DELETE_SQL =
  'DELETE FROM knowledge_source WHERE session_id = $1 AND tenant_id = $2 AND id = $3 RETURNING id';
const HELD_SQL = `SELECT count(*)::int AS sources, coalesce(sum(characters), 0)::int AS characters FROM knowledge_source
  WHERE session_id = $1`;
const ADD_SQL = `INSERT INTO knowledge_source (id, session_id, tenant_id, title, text, words, characters, url, refresh_hours, media_id, created_at,
    read_at, next_read_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::uuid, svc_now($3),
    CASE WHEN $8::text IS NULL AND $10::uuid IS NULL THEN svc_now($3) END,
    CASE WHEN $8::text IS NOT NULL OR $10::uuid IS NOT NULL THEN clock_timestamp() END)`;
const FORGET_PASSAGES_SQL = 'DELETE FROM knowledge_passage WHERE source_id = $1';
const PASSAGES_SQL = `INSERT INTO knowledge_passage (source_id, place, tenant_id, session_id, text, words)
  SELECT $1, p.place, $2, $3, p.text, array_to_tsvector(ARRAY(SELECT jsonb_array_elements_text(p.words)))
  FROM jsonb_to_recordset($4::jsonb) AS p(place int, text text, words jsonb)`;

interface SourceRow extends Omit<KnowledgeSource, 'createdAt' | 'readAt' | 'nextReadAt'> {
  text: string;
  createdAt: Date;
  readAt: Date | null;
  nextReadAt: Date | null;
}

/** A source that is written. */
export interface NewSource extends SessionRef {
  id: string;
  title: string;
  text: string;
  url: string | null;
  refreshHours: number | null;
  /** File that it is read from; null: none. */
  mediaId: string | null;
}

/** Number and size of the sources of a session. */
export interface HeldSources {
  sources: number;
  characters: number;
}

/** This repository keeps sources, with the passages into which they are split and the words by which those are found. */
@Injectable()
export class KnowledgeRepository {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly changes: AuditedChanges,
  ) {}

  /** Adds a source where the ones that the session has already leave room for it. @param check throws where they do not. */
  async add(source: NewSource, actor: string | undefined, check: (held: HeldSources) => void): Promise<void> {
    const { id, sessionId, tenantId, title, text, url, refreshHours, mediaId } = source;
    const line = lineOf(source, actor, 'assistant.knowledge_added', url === null ? {} : { url });
    await this.changes.write(line, async (tx) => {
      // One addition to a session at a time: two would both find room.
      await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 336))', [sessionId]);
      const [held] = await tx.query<[HeldSources]>(HELD_SQL, [sessionId]);
      check(held);
      const values = [
        id,
        sessionId,
        tenantId,
        title,
        text,
        wordsOf(`${title}\n${text}`),
        text.length,
        url,
        refreshHours,
        mediaId,
      ];
      await tx.query(ADD_SQL, values);
      await writePassages(tx, source);
      return true;
    });
  }

  /** Lists the sources of a session, the newest first. */
  async list({ sessionId, tenantId, before, limit }: ListKnowledgeV1): Promise<KnowledgeSource[]> {
    const rows = await this.dataSource.query<SourceRow[]>(LIST_SQL, [
      sessionId,
      tenantId,
      before ?? null,
      limit,
    ]);
    return rows.map(viewOf);
  }

  /** Reads a source with its text; undefined where the session has none with this id. */
  async find({ sessionId, tenantId, id }: KnowledgeRef): Promise<KnowledgeSourceText | undefined> {
    const [row] = await this.dataSource.query<SourceRow[]>(GET_SQL, [sessionId, tenantId, id]);
    return row && viewOf(row);
  }

  /** @returns false where the session has no source with this id. */
  delete(request: DeleteKnowledgeV1): Promise<boolean> {
    const { sessionId, tenantId, id, actor } = request;
    return this.changes.write(lineOf(request, actor, 'assistant.knowledge_removed', {}), async (tx) => {
      const [rows] = await tx.query<[unknown[], number]>(DELETE_SQL, [sessionId, tenantId, id]);
      return rows.length > 0;
    });
  }

  /** Counts the sources of a session. */
  async count({ sessionId }: SessionRef): Promise<number> {
    const [held] = await this.dataSource.query<[HeldSources]>(HELD_SQL, [sessionId]);
    return held.sources;
  }

  /** Finds the passages that have to do with a text, the best first. */
  search({ sessionId, tenantId }: SessionRef, text: string): Promise<KnowledgePassage[]> {
    const words = wordsOf(text).slice(0, ASKED_MAX);
    return this.dataSource.query<KnowledgePassage[]>(SEARCH_SQL, [sessionId, words, tenantId]);
  }
}

/** Makes the line of the audit log of a change of a source; without an actor there is none. Titles and texts are not told. */
const lineOf = (
  { tenantId, sessionId, id }: KnowledgeRef,
  actor: string | undefined,
  action: string,
  more: Record<string, string>,
): AuditLine | undefined =>
  actor === undefined
    ? undefined
    : { tenantId, actor, action, target: sessionId, details: { sourceId: id, ...more } };

/** Writes the passages of a source, in place of those it had. */
export async function writePassages(
  tx: EntityManager,
  {
    id,
    tenantId,
    sessionId,
    title,
    text,
  }: Pick<NewSource, 'id' | 'tenantId' | 'sessionId' | 'title' | 'text'>,
): Promise<void> {
  const passages = passagesOf(text).map((passage, place) => ({
    ...{ place, text: passage },
    // A question may name what only the title says.
    words: wordsOf(`${title}\n${passage}`),
  }));
  await tx.query(FORGET_PASSAGES_SQL, [id]);
  await tx.query(PASSAGES_SQL, [id, tenantId, sessionId, JSON.stringify(passages)]);
}

function viewOf<T extends SourceRow>({ createdAt, readAt, nextReadAt, ...row }: T) {
  return {
    ...{ ...row, createdAt: createdAt.toISOString() },
    ...{ readAt: readAt?.toISOString() ?? null, nextReadAt: nextReadAt?.toISOString() ?? null },
  };
}
