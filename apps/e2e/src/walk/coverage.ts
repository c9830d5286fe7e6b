import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { bundleOf } from '../repository.js';
import { Inspector } from '../stack/inspector.js';
import type { Stack } from '../stack/stack.js';
import { BundledFiles } from './bundled-files.js';

/** The calls of each function of ours, by `file:offset`. */
export type Calls = Map<string, number>;

interface ScriptCoverage {
  url: string;
  functions: { ranges: { startOffset: number; count: number }[] }[];
}

/** Counts the calls of every function of a process of the stack, through its inspector: nothing is built into the process for it. */
export class Coverage {
  private constructor(
    private readonly inspector: Inspector,
    private readonly url: string,
    private readonly files: BundledFiles,
  ) {}

  /** Begins to count in the service's process. */
  static async of(stack: Stack, service: string): Promise<Coverage> {
    const bundle = bundleOf(service);
    const inspector = await Inspector.of(stack, service);
    await inspector.call('Profiler.enable');
    await inspector.call('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    const files = new BundledFiles(service, readFileSync(bundle, 'utf8'));
    return new Coverage(inspector, pathToFileURL(bundle).href, files);
  }

  /** Returns the calls since the last time, or since the beginning. */
  async take(): Promise<Calls> {
    const { result } = await this.inspector.call('Profiler.takePreciseCoverage');
    const script = (result as ScriptCoverage[]).find(({ url }) => url === this.url);
    const calls: Calls = new Map();
    for (const { ranges } of script?.functions ?? []) {
      const { startOffset = 0, count = 0 } = ranges[0] ?? {};
      const runs = count > 0 && !this.files.isDeclaration(startOffset);
      const file = runs ? this.files.fileAt(startOffset) : undefined;
      if (file) calls.set(`${file}:${startOffset}`, count);
    }
    return calls;
  }

  close(): void {
    this.inspector.close();
  }
}

/**
 * Finds the files that ran for the work of these rounds: a function of theirs ran in most of the rounds, and more often than in any idle window.
 * A task that happened to fall into a round is not taken for the work.
 */
export function filesOfWork(rounds: Calls[], idle: Calls[]): string[] {
  const names = new Set(rounds.flatMap((calls) => [...calls.keys()]));
  const ran = [...names].filter((name) => {
    const most = Math.max(0, ...idle.map((calls) => calls.get(name) ?? 0));
    return median(rounds.map((calls) => calls.get(name) ?? 0)) > most;
  });
  return [...new Set(ran.map((name) => name.slice(0, name.lastIndexOf(':'))))].sort();
}

function median(counts: number[]): number {
  return counts.toSorted((a, b) => a - b)[Math.floor(counts.length / 2)] ?? 0;
}
