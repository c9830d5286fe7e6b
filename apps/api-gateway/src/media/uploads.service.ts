import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { AppError, contradicts, invalidField, isOfKind, MEDIA_KINDS } from '@svc/contracts';
import {
  isSpecific,
  MEDIA_STORE,
  type MediaStore,
  MediaTooLargeError,
  SIGNATURE_BYTES,
  signatureOf,
  UNKNOWN_TYPE,
} from '@svc/media-store';
import { log, PeriodicTasks } from '@svc/service';
import { In, IsNull, Not, Repository } from 'typeorm';
import { Upload } from './upload.entity.js';
import { countedBytes, findRoom, MAX_BYTES, type UploadRoom } from './upload-room.js';

const HOUR_MS = 3_600_000;
/** A day longer than promised: a message that goes out in the last minute still finds its file. */
const STORED_FOR = `interval '31 days'`;
const USABLE_FOR = `interval '30 days'`;
const BATCH = 100;
/** Time after which an upload without a message will never get one: no statement that writes a message takes as long. */
const SETTLED = `interval '1 hour'`;
// The statement finds messages by their keys (docs/adr/0028-statements-use-the-primary-key.md). Of a job that came twice at once only one
// file is its message's.
const UNSETTLED_SQL = `SELECT u.id, m.id IS NOT NULL AS written FROM upload u
  LEFT JOIN LATERAL (SELECT id FROM message
    WHERE id = u.job_id AND content #>> '{media,mediaId}' = u.id::text LIMIT 1) m ON true
  WHERE u.job_id IS NOT NULL AND u.created_at < statement_timestamp() - ${SETTLED} ORDER BY u.created_at LIMIT ${BATCH}`;
// An upload that is not whole by then was left by a crash.
const OLD_SQL = `SELECT id FROM upload WHERE created_at < statement_timestamp() - ${STORED_FOR}
  OR (sha256 IS NULL AND created_at < statement_timestamp() - ${SETTLED}) LIMIT ${BATCH}`;

/** An upload whose file is stored whole. */
export type StoredUpload = Upload & { size: number; sha256: string };

/** Properties of a file that a tenant names. */
export type NewUpload = Pick<Upload, 'id' | 'tenantId' | 'mimeType' | 'filename' | 'ofMessage' | 'jobId'>;

/** Bounds of an upload. */
export interface UploadBounds {
  /** Bytes that it may keep; null: any number. */
  most: number | null;
  /** Bytes of the file, or a few more; undefined where nobody says. */
  size: number | undefined;
}

/** This class stores files that tenants gave us to send: for a month, each for its tenant alone. */
@Injectable()
export class UploadsService {
  constructor(
    @InjectRepository(Upload) private readonly uploads: Repository<Upload>,
    @Inject(MEDIA_STORE) private readonly store: MediaStore,
    tasks: PeriodicTasks,
  ) {
    tasks.add('uploads', HOUR_MS, () => this.sweep());
  }

  /**
   * Stores a file. Its room is taken before its first byte: of two files at once, the second finds what the first leaves.
   * @throws AppError `PAYLOAD_TOO_LARGE`, `QUOTA_CONFLICT`, `UPSTREAM_UNAVAILABLE`, `VALIDATION_FAILED`: it is empty.
   */
  async add(
    upload: NewUpload,
    source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    { most, size }: UploadBounds,
  ): Promise<StoredUpload> {
    const room = await this.uploads.manager.transaction(async (tx) => {
      const found = await findRoom(tx, upload.tenantId, most, size);
      await tx.insert(Upload, { ...upload, bytes: String(found.bytes) });
      return found;
    });
    try {
      return await this.fill(upload, source, room);
    } catch (error) {
      await this.discard(upload.id);
      if (!(error instanceof MediaTooLargeError)) throw error;
      throw room.refusal ?? new AppError('PAYLOAD_TOO_LARGE', `The file is larger than ${MAX_BYTES} bytes.`);
    }
  }

  private async fill(
    upload: NewUpload,
    source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    room: UploadRoom,
  ): Promise<StoredUpload> {
    const head: Uint8Array[] = [];
    const stored = await this.store.put(upload.id, copyHead(source, head), Math.min(room.bytes, MAX_BYTES));
    if (stored.size === 0) throw invalidField('file', 'file must not be empty');
    // The first bytes of a file may say what its client does not know of it, or that it is none of its kind.
    const { mimeType } = (await signatureOf(Buffer.concat(head))) ?? {};
    const isKnown = isSpecific(upload.mimeType) && !isOfAnotherKind(upload.mimeType, mimeType);
    const described = { ...stored, mimeType: isKnown ? upload.mimeType : (mimeType ?? UNKNOWN_TYPE) };
    await this.uploads.update(upload.id, { ...described, bytes: String(countedBytes(stored.size)) });
    return { ...upload, ...described } as StoredUpload;
  }

  /** Finds a whole upload of the tenant that may still be sent, in so many ms from now. */
  async find(tenantId: string, id: string, aheadMs: number): Promise<StoredUpload | null> {
    const found = await this.uploads
      .createQueryBuilder('upload')
      .where({ tenantId, id })
      .andWhere('upload.sha256 IS NOT NULL')
      .andWhere(
        `upload.created_at > statement_timestamp() + :aheadMs::float8 * interval '1 ms' - ${USABLE_FOR}`,
        { aheadMs },
      )
      .getOne();
    return found as StoredUpload | null;
  }

  /**
   * Deletes an upload that the tenant made by itself; a message that was to bring it fails.
   * @throws AppError `MEDIA_NOT_FOUND`, or `FORBIDDEN` for another tenant's.
   */
  async deleteOf(tenantId: string, id: string): Promise<void> {
    const upload = await this.uploads.findOneBy({ id, ofMessage: false, sha256: Not(IsNull()) });
    if (!upload) throw new AppError('MEDIA_NOT_FOUND', 'There is no such upload.');
    if (upload.tenantId !== tenantId) throw new AppError('FORBIDDEN');
    await this.delete(id);
  }

  /** Deletes what is left of an upload that failed; what fails here, too, is left to the sweep. */
  async discard(id: string): Promise<void> {
    await this.delete(id).catch((error: unknown) =>
      log().warn({ mediaId: id, err: error }, 'a file that is not needed is deleted later'),
    );
  }

  /** Deletes an upload, the file first: what a crash leaves of that is found again. */
  async delete(id: string): Promise<void> {
    await this.store.delete(id);
    await this.uploads.delete(id);
  }

  /** Deletes what is too old, and what came with a message that was not written. */
  async sweep(): Promise<void> {
    await this.sweepOld();
    await this.sweepUnsettled();
  }

  private async sweepOld(): Promise<void> {
    let old: { id: string }[];
    do {
      old = await this.uploads.query<{ id: string }[]>(OLD_SQL);
      for (const { id } of old) await this.delete(id);
      if (old.length > 0) log().info({ uploads: old.length }, 'old uploads deleted');
    } while (old.length === BATCH);
  }

  private async sweepUnsettled(): Promise<void> {
    let found: { id: string; written: boolean }[];
    do {
      found = await this.uploads.query<{ id: string; written: boolean }[]>(UNSETTLED_SQL);
      const left = found.filter(({ written }) => !written);
      for (const { id } of left) await this.delete(id);
      if (left.length > 0) log().info({ uploads: left.length }, 'uploads without their message deleted');
      await this.uploads.update({ id: In(found.map(({ id }) => id)) }, { jobId: null });
    } while (found.length === BATCH);
  }
}

/** Says whether a file is, by its bytes, of no kind that it would be sent as by what its client says. */
function isOfAnotherKind(declared: string, actual: string | undefined): boolean {
  const kinds = MEDIA_KINDS.filter((kind) => kind !== 'document' && isOfKind(kind, declared));
  return kinds.some((kind) => contradicts(kind, actual));
}

/** Passes a file on, and remembers its first bytes. */
async function* copyHead(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  head: Uint8Array[],
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const piece of source) {
    if (bytes < SIGNATURE_BYTES) head.push(Uint8Array.from(piece.subarray(0, SIGNATURE_BYTES - bytes)));
    bytes += piece.length;
    yield piece;
  }
}
