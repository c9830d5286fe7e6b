import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { SOURCE_CHARACTERS_MAX } from '@svc/contracts';
import { PeriodicTasks } from '@svc/service';
import { DataSource } from 'typeorm';
import { FileTexts, UnreadableFile } from '../files/file-texts.js';
import { AddressReader, type Marks, type Read, ReadFailure } from './address-reader.js';
import { storable } from '../storable.js';
import { CHARACTERS_MAX, writePassages } from './knowledge.repository.js';
import { wordsOf } from './words.js';

const EVERY_MS = 1_000;
/** Addresses that one process reads at a time. */
const AT_ONCE = 8;

// A process that ends while it reads is followed after this time.
const CLAIM_SQL = `UPDATE knowledge_source SET next_read_at = clock_timestamp() + interval '4 minutes'
  WHERE id IN (SELECT id FROM knowledge_source WHERE next_read_at <= clock_timestamp() AND (media_id IS NOT NULL) = $2
    ORDER BY next_read_at LIMIT $1 FOR UPDATE SKIP LOCKED)
  RETURNING id, tenant_id AS "tenantId", session_id AS "sessionId", title, url, media_id AS "mediaId", etag, last_modified AS "lastModified"`;
const FAIL_SQL = `UPDATE knowledge_source SET error = $2, failures = failures + 1,
    next_read_at = clock_timestamp() + least(make_interval(hours => refresh_hours), interval '5 minutes' * 2 ^ least(failures, 12))
  WHERE id = $1`;
const NEXT =
  'error = NULL, failures = 0, next_read_at = clock_timestamp() + make_interval(hours => refresh_hours)';
const SAME_SQL = `UPDATE knowledge_source SET read_at = svc_now(tenant_id), ${NEXT} WHERE id = $1`;
const ROOM_SQL = `SELECT ${CHARACTERS_MAX} - coalesce(sum(characters), 0)::int AS room FROM knowledge_source
  WHERE session_id = $1 AND id <> $2`;
const WRITE_SQL = `UPDATE knowledge_source SET text = $2, words = $3, characters = $4, is_shortened = $5, etag = $6,
    last_modified = $7, read_at = svc_now(tenant_id), ${NEXT} WHERE id = $1 RETURNING id`;

/** Problems of a file that may be those of a busy process. */
const PASSING = ['TIMEOUT', 'MEMORY'];
/** Ends the reading of a file: it will be the same the next time. */
const REFUSE_SQL = 'UPDATE knowledge_source SET error = $2, next_read_at = NULL WHERE id = $1';

/** An address or a file that is due. */
interface DueSource extends Marks {
  id: string;
  tenantId: string;
  sessionId: string;
  title: string;
  /** Address of it; null: it is a file. */
  url: string | null;
  mediaId: string;
}

/**
 * This service reads addresses again and again, as often as their sources say; one that fails is tried sooner, and less often each time. A file is read
 * once.
 */
@Injectable()
export class ReadingService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly reader: AddressReader,
    private readonly files: FileTexts,
    tasks: PeriodicTasks,
  ) {
    // Addresses do not wait for files, which are read one at a time.
    tasks.add('addresses that are due', EVERY_MS, (stopping) => this.readDue(AT_ONCE, false, stopping));
    tasks.add('files that are due', EVERY_MS, (stopping) => this.readDue(1, true, stopping));
  }

  private async readDue(most: number, isFile: boolean, stopping: AbortSignal): Promise<void> {
    const [due] = await this.dataSource.query<[DueSource[], number]>(CLAIM_SQL, [most, isFile]);
    await Promise.all(due.map((source) => this.read(source, stopping)));
  }

  private async read(source: DueSource, stopping: AbortSignal): Promise<void> {
    try {
      const read = await this.contentOf(source, stopping);
      if (read) await this.write(source, read);
      else await this.dataSource.query(SAME_SQL, [source.id]);
    } catch (error) {
      if (stopping.aborted) return;
      if (!(error instanceof ReadFailure || error instanceof UnreadableFile)) throw error;
      const isFinal = error instanceof UnreadableFile && !PASSING.includes(error.code);
      await this.dataSource.query(isFinal ? REFUSE_SQL : FAIL_SQL, [source.id, error.code]);
    }
  }

  private async contentOf(source: DueSource, stopping: AbortSignal): Promise<Read | undefined> {
    const { tenantId, url, mediaId } = source;
    if (url !== null) return this.reader.read(url, source, stopping);
    return { text: await this.files.read(tenantId, mediaId), etag: null, lastModified: null };
  }

  private async write({ id, tenantId, sessionId, title }: DueSource, page: Read): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      // One change of a session's sources at a time, as where one is added.
      await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 336))', [sessionId]);
      const [{ room }] = await tx.query<[{ room: number }]>(ROOM_SQL, [sessionId, id]);
      const whole = storable(page.text);
      const text = whole.slice(0, Math.max(0, Math.min(SOURCE_CHARACTERS_MAX, room))).toWellFormed();
      const values = [id, text, wordsOf(`${title}\n${text}`), text.length, text.length < whole.length];
      const [rows] = await tx.query<[unknown[], number]>(WRITE_SQL, [
        ...values,
        page.etag,
        page.lastModified,
      ]);
      // It was deleted while it was read.
      if (rows.length > 0) await writePassages(tx, { id, tenantId, sessionId, title, text });
    });
  }
}
