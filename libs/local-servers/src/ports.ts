import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Free ports are drawn from below the kernel's range for outgoing connections (32768 and up). In that range a client
 * that keeps dialling a stopped server can be given the server's own port, and the restart then finds it taken.
 */
const LOWEST = 20_000;
const HIGHEST = 32_000;
const TRIES = 10;

/** Error of a server that could not listen because another program does. */
export class PortTakenError extends Error {
  constructor(readonly port: number) {
    super(`Port ${port} on 127.0.0.1 is taken by another program.`);
    this.name = 'PortTakenError';
  }
}

/**
 * Starts a server on the wanted port, or on a free one when it is 0. A probe cannot reserve a port, so the server's
 * own failure to listen decides: a free port is redrawn, a fixed one is asked for again for about two seconds, because
 * whoever is just stopping may be its previous holder.
 */
export async function startOnPort<T>(wanted: number, start: (port: number) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const port = wanted === 0 ? await findFreePort() : wanted;
    try {
      return await start(port);
    } catch (error) {
      if (!(error instanceof PortTakenError) || attempt === TRIES) throw error;
      if (wanted !== 0) await delay(200);
    }
  }
}

/** Draws a port of 127.0.0.1 on which nobody listens at this moment. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST, HIGHEST);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ port, host: '127.0.0.1', exclusive: true }, () => probe.close(() => resolve(true)));
  });
}
