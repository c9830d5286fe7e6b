import { sha256 } from '../noise/keys.js';

const MOST_BYTES = 512 * 1024 * 1024;

/** This class holds encrypted files by the digest of their bytes, in memory only; the oldest are dropped when there are too many. */
export class MediaStore {
  /** Host and port that clients get; empty while there is none. */
  hostname = '';
  private readonly blobs = new Map<string, Buffer>();
  private bytes = 0;

  constructor(private readonly mostBytes = MOST_BYTES) {}

  /** Stores a file and returns the path by which it can be fetched. */
  put(blob: Buffer): string {
    const name = sha256(blob).toString('hex');
    if (!this.blobs.has(name)) this.bytes += blob.length;
    this.blobs.set(name, blob);
    for (const [oldest, { length }] of this.blobs) {
      if (this.bytes <= this.mostBytes) break;
      this.blobs.delete(oldest);
      this.bytes -= length;
    }
    return pathOf(name);
  }

  get(path: string): Buffer | undefined {
    return this.blobs.get(/^\/v\/([\da-f]{64})\.enc$/.exec(path)?.[1] ?? '');
  }

  /** Puts another file under the same path: a client fetches another file than the message describes. */
  alter(path: string): void {
    const blob = Buffer.from(this.get(path) ?? []);
    blob[0] = (blob[0] ?? 0) ^ 1;
    this.blobs.set(path.slice('/v/'.length, -'.enc'.length), blob);
  }

  remove(path: string): void {
    this.bytes -= this.get(path)?.length ?? 0;
    this.blobs.delete(path.slice('/v/'.length, -'.enc'.length));
  }

  clear(): void {
    this.blobs.clear();
    this.bytes = 0;
  }

  urlOf(path: string): string {
    return `https://${this.hostname}${path}`;
  }
}

const pathOf = (name: string): string => `/v/${name}.enc`;
