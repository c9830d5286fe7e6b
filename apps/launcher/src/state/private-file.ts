import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** Writes a value as a private file. */
export function writePrivateJson(path: string, value: unknown): void {
  writePrivate(path, `${JSON.stringify(value, null, 2)}\n`);
}

/**
 * Writes a file that only its owner may read, all of it or nothing: a reader never sees half, and `kill -9` in the
 * middle leaves the old one.
 */
export function writePrivate(path: string, text: string): void {
  const beside = `${path}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    writeFileSync(beside, text, { mode: 0o600 });
    renameSync(beside, path);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
}

/** Reads the JSON of a file, unchecked; undefined when there is none. */
export function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    if (error instanceof SyntaxError) throw new Error(`${path} is damaged: it holds no JSON.`);
    throw error;
  }
}
