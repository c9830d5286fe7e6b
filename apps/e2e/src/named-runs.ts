import { setTimeout as delay } from 'node:timers/promises';
import { accept } from './benches/accept.js';
import { inbound } from './benches/inbound.js';
import { isolation } from './benches/isolation.js';
import { memory } from './benches/memory.js';
import { pending } from './benches/pending.js';
import { reconnect } from './benches/reconnect.js';
import { reserve } from './benches/reserve.js';
import { send } from './benches/send.js';
import { webhookLatency } from './benches/webhook-latency.js';
import { webhooks } from './benches/webhooks.js';
import { admission } from './drills/admission.js';
import { crashPoints } from './drills/crash-points.js';
import { deaf } from './drills/deaf.js';
import { fuzz } from './drills/fuzz.js';
import { killAny } from './drills/kill-any.js';
import { killDispatcher } from './drills/kill-dispatcher.js';
import { killWorker } from './drills/kill-worker.js';
import { ledger } from './drills/ledger.js';
import { pausedOwner } from './drills/paused-owner.js';
import { restartPostgres } from './drills/restart-postgres.js';
import { revocation } from './drills/revocation.js';
import { rollingDeploy } from './drills/rolling-deploy.js';
import { wipeNats } from './drills/wipe-nats.js';
import { Stack } from './stack.js';

/** No run takes half of it; one that hangs must not hang for ever. */
const LIMIT_MINUTES = 60;
const MINUTES = 10;

/** What a drill or benchmark says at its end, as one line of JSON. */
export interface Outcome {
  /** Numbers; repeated measurements as `{median, spread}`. */
  figures: Record<string, unknown>;
  holds: boolean;
  /** Why there are no figures. */
  error?: string;
}

/** A drill or a benchmark. The stacks it starts are stopped for it. */
export interface NamedRun {
  summary: string;
  /** What the figures are held against, in words. */
  bound: string;
  run(options: RunOptions): Promise<Outcome>;
}

/** What every run is given. */
export interface RunOptions {
  /** Decides random choices; printed, so that a run can be repeated. */
  seed: number;
  /** How long a run goes on that is about what comes with time. */
  minutes: number;
  /** Progress, for people. */
  say(line: string): void;
}

type Runs = Record<'drill' | 'bench', Record<string, NamedRun>>;

const RUNS: Runs = {
  drill: {
    'kill-any': killAny,
    'kill-worker': killWorker,
    'kill-dispatcher': killDispatcher,
    'rolling-deploy': rollingDeploy,
    'paused-owner': pausedOwner,
    'wipe-nats': wipeNats,
    'restart-postgres': restartPostgres,
    deaf,
    admission,
    ledger,
    'crash-points': crashPoints,
    revocation,
    fuzz,
  },
  bench: {
    ...{ accept, reserve, send, inbound, memory, reconnect },
    webhooks,
    'webhook-latency': webhookLatency,
    isolation,
    pending,
  },
};

/** Runs `npm run drill|bench -- <name> [--seed N] [--minutes N]`; returns the exit code. */
export async function runNamed(
  kind: keyof Runs,
  [name, ...rest]: string[],
  runs: Runs = RUNS,
): Promise<number> {
  const run = name !== undefined && Object.hasOwn(runs[kind], name) ? runs[kind][name] : undefined;
  const options = optionsOf(rest);
  if (!run || !options) {
    if (name !== undefined)
      process.stderr.write(
        `${run ? `--seed and --minutes (at most ${LIMIT_MINUTES / 2}) need a number` : `There is no ${kind} ${name}`}.\n`,
      );
    for (const [known, { summary }] of Object.entries(runs[kind]))
      process.stdout.write(`${known.padEnd(16)} ${summary}\n`);
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
    const { figures, holds, error } = await Promise.race([run.run({ ...options, say }), tooLate()]).catch(
      broken,
    );
    process.stdout.write(`${JSON.stringify({ name, figures, bound: run.bound, holds, error })}\n`);
    return holds ? 0 : 1;
  } finally {
    await Stack.stopAll();
  }
}

/** Undefined: they are not understood. */
function optionsOf(args: string[]): Play['options'] | undefined {
  const [seed = Date.now() % 1_000_000, minutes = MINUTES] = ['--seed', '--minutes'].map((name) => {
    const at = args.indexOf(name);
    return at < 0 ? undefined : Number(args.splice(at, 2)[1] ?? NaN);
  });
  const isGood = Number.isSafeInteger(seed) && minutes > 0 && minutes <= LIMIT_MINUTES / 2;
  return isGood && args.length === 0 ? { seed, minutes } : undefined;
}

async function tooLate(): Promise<never> {
  await delay(LIMIT_MINUTES * 60_000, undefined, { ref: false });
  throw new Error(`It did not end within ${LIMIT_MINUTES} minutes`);
}

/** Whoever reads the line of JSON gets one, also when the run broke off. */
function broken(error: unknown): Outcome {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  return { figures: {}, holds: false, error: error instanceof Error ? error.message : String(error) };
}
