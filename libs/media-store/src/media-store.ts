import type { Readable } from 'node:stream';

/** Size and digest of a stored file. */
export interface StoredMedia {
  size: number;
  /** Digest of the content, in hex. */
  sha256: string;
}

/** Keeps files by id (a UUID). What `put` has confirmed survives a crash of the process and of the machine. */
export interface MediaStore {
  /**
   * Stores a file whole or not at all; a file of the same id is replaced. An error that the source throws is thrown on, and
   * leaves nothing behind.
   * @throws MediaTooLargeError
   * @throws AppError `UPSTREAM_UNAVAILABLE`: the store cannot be reached
   */
  put(
    id: string,
    source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    maxBytes: number,
  ): Promise<StoredMedia>;
  /**
   * Opens the file; undefined where there is none.
   * @throws AppError `UPSTREAM_UNAVAILABLE`: the store cannot be reached
   */
  get(id: string): Promise<{ size: number; stream: Readable } | undefined>;
  /**
   * Deletes the file; one that is not there is no error.
   * @throws AppError `UPSTREAM_UNAVAILABLE`: the store cannot be reached
   */
  delete(id: string): Promise<void>;
}

/** Error of a file with more bytes than may be stored. */
export class MediaTooLargeError extends Error {
  override readonly name = 'MediaTooLargeError';

  constructor(readonly maxBytes: number) {
    super(`The file is larger than ${maxBytes} bytes.`);
  }
}

/** @throws Error for what is no UUID: ids become parts of paths. */
export function assertMediaId(id: string): void {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) throw new Error('A media id is a UUID.');
}
