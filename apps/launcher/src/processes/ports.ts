import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Lowest port, below the kernel's range for outgoing connections (32768 and up): a restarted program must find its port free again, and in
 * that range a client that keeps dialling it may have got it.
 */
const LOWEST = 20_000;
const HIGHEST = 32_000;

/** Finds a port of 127.0.0.1 on which no program listens at this moment. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST, HIGHEST);
    if ((await listenOnce(port)) === undefined) return port;
  }
}

/** Refuses a taken port before anything is started, instead of in the log of a child a minute later. */
export async function refuseTakenPort(port: number): Promise<void> {
  const failure = await listenOnce(port);
  if (failure === undefined) return;
  const problem = failure === 'EADDRINUSE' ? 'is taken by another program' : `cannot be used (${failure})`;
  throw new Error(`Port ${port} ${problem}. Choose another one: GATEWAY_PORT=${port + 1} npm start`);
}

/** Listens once; returns the code of the error, if that is not possible. */
async function listenOnce(port: number): Promise<string | undefined> {
  const probe = createServer();
  probe.listen({ port, host: '127.0.0.1', exclusive: true });
  try {
    await once(probe, 'listening');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  }
  probe.close();
  await once(probe, 'close');
  return undefined;
}
