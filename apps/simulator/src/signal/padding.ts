import { randomInt } from 'node:crypto';

const LONGEST_PAD = 16;

/** Appends 1–16 bytes, each of which says how many there are. */
export function pad(message: Uint8Array, length = randomInt(1, LONGEST_PAD + 1)): Buffer {
  return Buffer.concat([message, Buffer.alloc(length, length)]);
}

export function unpad(padded: Uint8Array): Buffer {
  const length = padded.at(-1) ?? 0;
  if (length < 1 || length > LONGEST_PAD || length > padded.length) throw new Error('the padding is wrong');
  return Buffer.from(padded.subarray(0, padded.length - length));
}
