import { access, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { assertMediaId, type MediaStore, type StoredMedia } from './media-store.js';
import { FOLDER_MODE, onDisk, Spool } from './spool.js';

/** Media in a folder: `ab/abcdef01-…`, so that no folder has too many entries. */
export class FileMediaStore implements MediaStore {
  private constructor(
    private readonly directory: string,
    private readonly incoming: string,
    private readonly spool: Spool,
  ) {}

  static async open(directory: string): Promise<FileMediaStore> {
    const incoming = join(directory, 'incoming');
    return new FileMediaStore(directory, incoming, await Spool.open(incoming));
  }

  async put(
    id: string,
    source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    maxBytes: number,
  ): Promise<StoredMedia> {
    const path = this.pathOf(id);
    return this.spool.pass(source, maxBytes, (spooled) => onDisk(this.moveIn(spooled, path)));
  }

  async get(id: string): Promise<{ size: number; stream: Readable } | undefined> {
    const file = await onDisk(open(this.pathOf(id)).catch(undefinedIfAbsent));
    if (!file) {
      await onDisk(access(this.incoming)); // else the folder itself is away: a disk that is not mounted
      return undefined;
    }
    const { size } = await onDisk(file.stat());
    return { size, stream: file.createReadStream() };
  }

  async delete(id: string): Promise<void> {
    await onDisk(rm(this.pathOf(id), { force: true }));
  }

  private async moveIn(spooled: string, path: string): Promise<void> {
    await mkdir(dirname(path), { recursive: true, mode: FOLDER_MODE });
    await rename(spooled, path);
    // A file is only sure to be found after a power cut once its folder has been written, and the folder's own.
    await syncFolder(dirname(path));
    await syncFolder(this.directory);
  }

  private pathOf(id: string): string {
    assertMediaId(id);
    return join(this.directory, id.slice(0, 2), id);
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path);
  await folder.sync().finally(() => folder.close());
}

function undefinedIfAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
