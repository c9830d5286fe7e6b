import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const OWNER_FILE = 'owner.pid';
/** A second: a server that ended holds its directory until its last words are read, some 200 ms. */
const TRIES = 20;

/**
 * Makes this process the only one that runs a server on `directory`; returns the release.
 *
 * The lock is a socket in Linux's abstract namespace: the kernel drops it with its process, however that ends, so
 * there is no stale lock file to judge after `kill -9`. It lies with us and not with the server, so an orphaned
 * server does not hold it and may be taken down by whoever does.
 *
 * @param directory absolute real path, so that two spellings of it meet at one lock
 */
export async function lockDirectory(directory: string): Promise<() => Promise<void>> {
  const name = createHash('sha256').update(directory).digest('hex');
  const server = createServer((socket) => socket.destroy());
  for (let attempt = 1; !(await listen(server, `\0svc-local-servers-${name}`)); attempt++) {
    // The socket of an owner that was killed may outlive its death notice by a moment, too.
    if (attempt === TRIES) throw new Error(await inUse(directory));
    await delay(50);
  }
  server.unref();
  await writeFile(join(directory, OWNER_FILE), `${process.pid}\n`).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EACCES') throw error;
    throw new Error(
      `${directory} belongs to another user. Was it started as root before? Delete it as that user.`,
    );
  });
  return () => new Promise<void>((resolve) => void server.close(() => resolve()));
}

function listen(server: Server, path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      server.removeAllListeners('listening');
      if (error.code === 'EADDRINUSE') resolve(false);
      else reject(error);
    });
    server.once('listening', () => {
      server.removeAllListeners('error');
      resolve(true);
    });
    server.listen({ path, exclusive: true });
  });
}

async function inUse(directory: string): Promise<string> {
  const owner = await readFile(join(directory, OWNER_FILE), 'utf8').catch(() => '');
  const who = owner.trim() ? `process ${owner.trim()}` : 'another process';
  return `${directory} is in use: ${who} runs a server on it. Stop that first, or use another directory.`;
}
