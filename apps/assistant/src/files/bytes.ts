import type { Readable } from 'node:stream';

/**
 * Reads a file of the store into memory.
 * @param fits says of its size whether it is wanted
 * @returns undefined where there is none, or it is not wanted
 */
export async function bytesOf(
  file: { size: number; stream: Readable } | undefined,
  fits: (bytes: number) => boolean,
): Promise<Buffer<ArrayBuffer> | undefined> {
  if (!file) return undefined;
  try {
    return fits(file.size) ? await read(file.stream) : undefined;
  } finally {
    file.stream.destroy();
  }
}

async function read(stream: Readable): Promise<Buffer<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  for await (const piece of stream) pieces.push(piece as Uint8Array);
  return Buffer.concat(pieces);
}
