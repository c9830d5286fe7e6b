import { accept } from './benches/accept.js';
import { killAny } from './drills/kill-any.js';

/** What a drill or benchmark says at its end, as one line of JSON. */
export interface Outcome {
  /** Numbers; repeated measurements as `{median, spread}`. */
  figures: Record<string, unknown>;
  /** What the figures are held against, in words. */
  bound: string;
  holds: boolean;
}

/** A drill or a benchmark. */
export interface NamedRun {
  summary: string;
  run(options: RunOptions): Promise<Outcome>;
}

/** What every run is given. */
export interface RunOptions {
  /** Decides random choices; printed, so that a run can be repeated. */
  seed: number;
  /** Progress, for people. */
  say(line: string): void;
}

const RUNS: Record<'drill' | 'bench', Record<string, NamedRun>> = {
  drill: { 'kill-any': killAny },
  bench: { accept },
};

/** Runs `npm run drill|bench -- <name> [--seed N]`; returns the exit code. */
export async function runNamed(kind: 'drill' | 'bench', [name, ...rest]: string[]): Promise<number> {
  const run = name === undefined ? undefined : RUNS[kind][name];
  if (!run) {
    if (name !== undefined) process.stderr.write(`There is no ${kind} called ${name}.\n`);
    for (const [known, { summary }] of Object.entries(RUNS[kind]))
      process.stdout.write(`${known.padEnd(14)} ${summary}\n`);
    return name === undefined ? 0 : 1;
  }
  const at = rest.indexOf('--seed');
  const seed = at >= 0 ? Number(rest[at + 1]) : Date.now() % 1_000_000;
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  say(`${kind} ${name}, seed ${seed}`);
  const { figures, bound, holds } = await run.run({ seed, say });
  process.stdout.write(`${JSON.stringify({ name, figures, bound, holds })}\n`);
  return holds ? 0 : 1;
}
