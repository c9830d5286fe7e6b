import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { NamedRun, Outcome, RunOptions } from './named-run.js';
import { RUNS, type Runs } from './named-runs.js';
import { Stack } from './stack/stack.js';

/** Limit of a run: none takes half of it; one that hangs must not hang for ever. */
const LIMIT_MINUTES = 60;
const MINUTES = 10;

/** Runs `npm run drill|bench -- <name> [--seed N] [--minutes N] [--base <ref>]`; returns the exit code. */
export async function runNamed(
  kind: keyof Runs,
  [name, ...args]: string[],
  runs: Runs = RUNS,
): Promise<number> {
  const run = name !== undefined && Object.hasOwn(runs[kind], name) ? runs[kind][name] : undefined;
  const options = optionsOf(args);
  if (!run || !options) {
    if (name !== undefined)
      process.stderr.write(
        `${run ? `--seed and --minutes (at most ${LIMIT_MINUTES / 2}) need a number` : `There is no ${kind} ${name}`}.\n`,
      );
    for (const [listed, { summary }] of Object.entries(runs[kind]))
      process.stdout.write(`${listed.padEnd(16)} ${summary}\n`);
    return name === undefined ? 0 : 1;
  }
  return play({ kind, name: String(name), run, options });
}

interface Play {
  kind: keyof Runs;
  name: string;
  run: NamedRun;
  options: Omit<RunOptions, 'say'>;
}

async function play({ kind, name, run, options }: Play): Promise<number> {
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  say(`${kind} ${name}, seed ${options.seed}`);
  try {
    const { figures, holds, error } = await Promise.race([run.run({ ...options, say }), timeLimit()]).catch(
      failure,
    );
    process.stdout.write(`${JSON.stringify({ name, figures, bound: run.bound, holds, error })}\n`);
    return holds ? 0 : 1;
  } finally {
    await Stack.stopAll();
  }
}

/** Parses the options; undefined where they are not understood. */
function optionsOf(args: string[]): Play['options'] | undefined {
  try {
    const { values } = parseArgs({
      args,
      options: { seed: { type: 'string' }, minutes: { type: 'string' }, base: { type: 'string' } },
    });
    const seed = Number(values.seed ?? Date.now() % 1_000_000);
    const minutes = Number(values.minutes ?? MINUTES);
    return Number.isSafeInteger(seed) && minutes > 0 && minutes <= LIMIT_MINUTES / 2
      ? { seed, minutes, base: values.base }
      : undefined;
  } catch {
    return undefined;
  }
}

async function timeLimit(): Promise<never> {
  await delay(LIMIT_MINUTES * 60_000, undefined, { ref: false });
  throw new Error(`It did not end within ${LIMIT_MINUTES} minutes`);
}

/** Makes the outcome of a run that broke off: a reader of the line of JSON gets one, too. */
function failure(error: unknown): Outcome {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  return { figures: {}, holds: false, error: error instanceof Error ? error.message : String(error) };
}
