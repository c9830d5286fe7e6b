import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Stack } from '../../stack/stack.js';

const LOOK_EVERY_MS = 250;
const READY = /"opsPort":(\d+)[^\n]*session-worker is ready/g;

/** Words that a change is told with: in a line of the log, and at the beginning of a line of the figures. */
export interface Telling {
  line: RegExp;
  figure: string;
}

/** Reads what the workers of a stack say of the platform: their logs, and their figures. */
export class WorkerWords {
  constructor(
    private readonly stack: Stack,
    private readonly workers: readonly string[],
  ) {}

  /** Measures the time until a worker has told it in both ways, in ms; null where that is later than the limit. */
  async toldMs({ line, figure }: Telling, limitMs: number): Promise<number | null> {
    const startedAt = performance.now();
    while (performance.now() - startedAt < limitMs) {
      if (this.logs().some((log) => line.test(log)) && (await this.hasFigure(figure)))
        return Math.round(performance.now() - startedAt);
      await delay(LOOK_EVERY_MS);
    }
    return null;
  }

  private logs(): string[] {
    return this.workers.map((name) => readFileSync(join(this.stack.dataDir, 'logs', `${name}.log`), 'utf8'));
  }

  private async hasFigure(beginning: string): Promise<boolean> {
    const ports = this.logs().flatMap((log) => [...log.matchAll(READY)].at(-1)?.[1] ?? []);
    const pages = await Promise.all(
      ports.map(async (port) => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()),
    );
    return pages.some((page) =>
      page.split('\n').some((one) => one.startsWith(beginning) && !one.endsWith(' 0')),
    );
  }
}
