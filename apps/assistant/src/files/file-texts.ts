import { Worker } from 'node:worker_threads';
import { Inject, Injectable } from '@nestjs/common';
import { SOURCE_FILE_MAX } from '@svc/contracts';
import { MEDIA_STORE, type MediaStore } from '@svc/media-store';
import { bytesOf } from './bytes.js';
import { FairQueue } from './fair-queue.js';
import type { FileReading } from './text-of-file.js';

const TIME_MS = 15_000;
/** Memory that one file may take, and the time between two looks at it: files of strangers unpack to any size. */
const HEAP_MB = 160;
const GROWTH_MAX = 220_000_000;
const LOOK_MS = 25;
/** The program of the thread lies beside the bundle of the service; tests find it there, too. */
const PROGRAM = new URL('../../dist/bundle/file-reader.js', import.meta.url);

/** A file that has no text for us. The code is all that is told: no word of the file. */
export class UnreadableFile extends Error {
  constructor(readonly code: string) {
    super(`The file was not read: ${code}`);
  }
}

/** This class reads the texts of files: one at a time, tenants in turn, in a thread of its own, within bounds of time and memory. */
@Injectable()
export class FileTexts {
  private readonly queue = new FairQueue();

  constructor(@Inject(MEDIA_STORE) private readonly store: MediaStore) {}

  /**
   * Reads the text of a PDF, of a Word document (docx), of HTML or of plain text.
   * @param waitMs longest wait for files that are read before it; `BUSY` after it
   * @throws UnreadableFile
   * @throws AppError `UPSTREAM_UNAVAILABLE`: the store cannot be reached
   */
  read(tenantId: string, id: string, waitMs = Infinity): Promise<string> {
    const latest = Date.now() + waitMs;
    return this.queue.run(tenantId, () => {
      if (Date.now() > latest) return Promise.reject(new UnreadableFile('BUSY'));
      return this.readNow(id);
    });
  }

  private async readNow(id: string): Promise<string> {
    const file = await this.store.get(id);
    if (!file) throw new UnreadableFile('GONE');
    const bytes = await bytesOf(file, (size) => size <= SOURCE_FILE_MAX);
    if (!bytes) throw new UnreadableFile('TOO_LARGE');
    const read = await readInThread(bytes);
    if ('problem' in read) throw new UnreadableFile(read.problem);
    if (read.text === '') throw new UnreadableFile('EMPTY');
    return read.text;
  }
}

/** Starts the thread that reads a file, and ends it whatever it does. */
async function readInThread(bytes: Buffer<ArrayBuffer>): Promise<FileReading> {
  const before = process.memoryUsage.rss();
  const worker = new Worker(PROGRAM, {
    ...{ workerData: bytes, env: {}, execArgv: [], stdout: true, stderr: true },
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: 16 },
  });
  let timers: NodeJS.Timeout[] = [];
  try {
    return await new Promise<FileReading>((resolve) => {
      const failWith = (problem: string) => (): void => resolve({ problem });
      worker.once('message', resolve);
      // A thread whose memory is used up ends with an error.
      worker.once('error', failWith('UNREADABLE'));
      worker.once('exit', failWith('UNREADABLE'));
      const look = (): void => {
        if (process.memoryUsage.rss() - before > GROWTH_MAX) resolve({ problem: 'MEMORY' });
      };
      timers = [setTimeout(failWith('TIMEOUT'), TIME_MS), setInterval(look, LOOK_MS)];
    });
  } finally {
    for (const timer of timers) clearTimeout(timer);
    await worker.terminate();
  }
}
