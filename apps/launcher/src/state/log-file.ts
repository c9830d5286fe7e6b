import {
  closeSync,
  createWriteStream,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  type WriteStream,
} from 'node:fs';
import { join } from 'node:path';
import { privateFolder } from './data-dir.js';

const ROTATE_AT_BYTES = 10 * 1024 * 1024;
const TAIL_BYTES = 16 * 1024;
const LONGEST_LINE = 300;

/** The log of one child: `DATA_DIR/logs/<name>.log`, and the one before as `.log.1`. */
export class LogFile {
  readonly path: string;
  private from = 0;

  constructor(dataDir: string, name: string) {
    const directory = join(dataDir, 'logs');
    privateFolder(directory);
    this.path = join(directory, `${name}.log`);
    const size = statSync(this.path, { throwIfNoEntry: false })?.size ?? 0;
    if (size > ROTATE_AT_BYTES) renameSync(this.path, `${this.path}.1`);
  }

  /**
   * Opens the file for a child to write to by itself: no pipe through us, so it can go on writing when we are killed,
   * and its last words are there. The caller closes the descriptor after the start.
   */
  open(): number {
    const descriptor = openSync(this.path, 'a', 0o600);
    this.from = fstatSync(descriptor).size;
    return descriptor;
  }

  /** For lines that come through us. */
  stream(): WriteStream {
    return createWriteStream(this.path, { flags: 'a', mode: 0o600 });
  }

  /** The last lines since the last `open`. */
  lastLines(count = 8): string[] {
    const descriptor = openSync(this.path, 'r');
    try {
      const { size } = fstatSync(descriptor);
      const from = Math.max(this.from, size - TAIL_BYTES);
      const bytes = Buffer.alloc(Math.max(0, size - from));
      readSync(descriptor, bytes, 0, bytes.length, from);
      const lines = bytes.toString('utf8').trimEnd().split('\n').slice(-count);
      return lines.filter(Boolean).map((line) => line.slice(0, LONGEST_LINE));
    } finally {
      closeSync(descriptor);
    }
  }
}
