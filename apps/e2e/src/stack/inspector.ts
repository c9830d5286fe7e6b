import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '@svc/testing';
import { WebSocket } from 'undici';
import type { Stack } from './stack.js';

/** The memory of a process, in bytes. */
export interface Memory {
  rss: number;
  heapUsed: number;
}

const LOOKS = 10;
const LOOK_EVERY_MS = 2_000;
const MEMORY = `{const {rss, heapUsed} = process.memoryUsage(); ({rss, heapUsed})}`;

/** Takes the least of several measurements: pages are given back some time after a collection. */
export async function memoryWhenIdle(look: () => Promise<Memory>): Promise<Memory> {
  let least = await look();
  for (let n = 1; n < LOOKS; n += 1) {
    await delay(LOOK_EVERY_MS);
    const now = await look();
    if (now.rss < least.rss) least = now;
  }
  return least;
}

/** The inspector of a process of a stack: nothing has to be built into the process for it. */
export class Inspector {
  private calls = 0;

  private constructor(private readonly socket: WebSocket) {}

  /** Opens the inspector of a process: any Node process does so at this signal, and says in its log where. */
  static async of(stack: Stack, name: string): Promise<Inspector> {
    const log = join(stack.dataDir, 'logs', `${name}.log`);
    // The log goes on where a former process of this name ended.
    const before = addressesIn(log).length;
    process.kill(stack.pidOf(name), 'SIGUSR1');
    const url = await waitFor('the inspector to listen', () => addressesIn(log)[before]);
    const socket = new WebSocket(url);
    await once(socket, 'open');
    return new Inspector(socket);
  }

  /** Measures what the process holds when nothing is left to collect. */
  async memory(): Promise<Memory> {
    await this.call('HeapProfiler.collectGarbage');
    return (await this.run(MEMORY)) as Memory;
  }

  /**
   * Has the process run a script and returns its value.
   * @throws Error with what the script threw.
   */
  async run(expression: string): Promise<unknown> {
    const answer = await this.call('Runtime.evaluate', { expression, returnByValue: true });
    if (answer['exceptionDetails']) throw new Error(JSON.stringify(answer['exceptionDetails']));
    return (answer['result'] as { value: unknown }).value;
  }

  close(): void {
    this.socket.close();
  }

  /** Calls a method of the inspector's protocol; one call at a time. */
  async call(method: string, params: object = {}): Promise<Record<string, unknown>> {
    const id = ++this.calls;
    const answered = once(this.socket, 'message') as Promise<[{ data: unknown }]>;
    this.socket.send(JSON.stringify({ id, method, params }));
    const [{ data }] = await answered;
    const answer = JSON.parse(String(data)) as { id?: number; result?: Record<string, unknown> };
    if (answer.id !== id || !answer.result) throw new Error(`${method}: ${String(data)}`);
    return answer.result;
  }
}

/** Reads the addresses of inspectors in a log. */
function addressesIn(log: string): string[] {
  return readFileSync(log, 'utf8').match(/ws:\/\/127\.0\.0\.1:\d+\/\S+/g) ?? [];
}
