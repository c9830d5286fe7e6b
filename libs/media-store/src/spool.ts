import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@svc/contracts';
import { MediaTooLargeError, type StoredMedia } from './media-store.js';

/** Time without a write after which nobody writes a file any more; the longest wait for a store is two minutes. */
const DEAD_MS = 15 * 60_000;
const SWEEP_MS = 60_000;
/** Mode of a folder, as of the files: for the services that share the store, and nobody else sees what there is. */
export const FOLDER_MODE = 0o750;

/** Turns an error of the disk into one of a part that is away: a full or lost disk, or one that is not ours, is tried again. */
export async function onDisk<T>(work: Promise<T>): Promise<T> {
  return work.catch((cause: unknown) => {
    throw new AppError('UPSTREAM_UNAVAILABLE', 'The media store cannot be reached.', {}, { cause });
  });
}

/** Files on their way into the store. */
export class Spool {
  private constructor(private readonly directory: string) {}

  /**
   * Makes the folder, and deletes what writers that have died left in it, now and from time to time: they are files of people, in the clear,
   * that no row names and no erasure finds.
   */
  static async open(directory: string, sweepMs = SWEEP_MS): Promise<Spool> {
    await mkdir(directory, { recursive: true, mode: FOLDER_MODE });
    const spool = new Spool(directory);
    await spool.sweep();
    // A folder that is away is swept when it is back. The timer keeps no process alive.
    setInterval(() => void spool.sweep().catch(() => undefined), sweepMs).unref();
    return spool;
  }

  private async sweep(): Promise<void> {
    for (const name of await readdir(this.directory)) {
      const path = join(this.directory, name);
      // Another process may be doing the same.
      const age = await stat(path).then(
        ({ mtimeMs }) => Date.now() - mtimeMs,
        () => 0,
      );
      if (age > DEAD_MS) await rm(path, { force: true });
    }
  }

  /**
   * Writes the source to the disk, hands the file over to `store`, and deletes it if that has left it where it was.
   * @throws MediaTooLargeError
   */
  async pass(
    source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    maxBytes: number,
    store: (path: string, stored: StoredMedia) => Promise<void>,
  ): Promise<StoredMedia> {
    const path = join(this.directory, randomUUID());
    try {
      const stored = await write(path, source, maxBytes);
      await store(path, stored);
      return stored;
    } finally {
      await onDisk(rm(path, { force: true }));
    }
  }
}

async function write(
  path: string,
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxBytes: number,
): Promise<StoredMedia> {
  const file = await onDisk(open(path, 'wx', 0o640));
  try {
    const hash = createHash('sha256');
    let size = 0;
    for await (const chunk of source) {
      size += chunk.length;
      if (size > maxBytes) throw new MediaTooLargeError(maxBytes);
      hash.update(chunk);
      await onDisk(file.writeFile(chunk));
    }
    await onDisk(file.sync());
    return { size, sha256: hash.digest('hex') };
  } finally {
    await file.close();
  }
}
