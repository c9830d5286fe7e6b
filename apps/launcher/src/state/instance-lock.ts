import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { realpathSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const TRIES = 5;

/**
 * Makes this process the only stack on `dataDir`. The lock is a socket in Linux's abstract namespace: the kernel drops
 * it with its process, however that ends, so there is never a stale one. Who connects is told our process id.
 * @throws Error naming the process that holds it and how to stop it.
 */
export async function lockInstance(dataDir: string): Promise<void> {
  const id = createHash('sha256').update(realpathSync(dataDir)).digest('hex');
  const path = `\0messaging-gateway-${id}`;
  const server = createServer((socket) => socket.on('error', () => undefined).end(String(process.pid)));
  server.unref();
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    server.listen({ path, exclusive: true });
    const taken = await once(server, 'listening').then(
      () => undefined,
      (error: NodeJS.ErrnoException) => error,
    );
    if (!taken) return;
    if (taken.code !== 'EADDRINUSE') throw taken;
    const pid = await askHolder(path);
    if (pid) {
      throw new Error(
        `The stack of ${dataDir} runs already, as process ${pid}. ` +
          `Stop it with Ctrl-C or "kill ${pid}", or give this one another DATA_DIR.`,
      );
    }
    await delay(100); // the holder is just dying
  }
  throw new Error(`Another process holds ${dataDir} and does not say which. Give this one another DATA_DIR.`);
}

async function askHolder(path: string): Promise<string> {
  const socket = connect({ path });
  socket.setTimeout(2_000, () => socket.destroy());
  let answer = '';
  try {
    for await (const chunk of socket) answer += String(chunk);
  } catch {
    return '';
  }
  return answer;
}
