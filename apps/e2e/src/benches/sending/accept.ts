import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { waitFor } from '@svc/testing';
import { Agent, request } from 'undici';
import { Actor, inventPhone, linkActors } from '../../stack/actor.js';
import { type Measured, measured, quantile, round3 } from '../../figures.js';
import type { Benchmark, RunOptions } from '../../named-run.js';
import { bareProgram } from '../../repository.js';
import { Stack } from '../../stack/stack.js';
import { openLoop, type OpenLoopFigures, openLoops } from './open-loop.js';
import { withIdleWorkers } from './idle-workers.js';
import { provideUsedLogFiles } from './used-log-files.js';

/** Sends per round, by clients at a time. */
const SENDS: Record<number, number> = { 1: 200, 16: 1_000, 64: 1_500 };
/** Number of clients whose ratio is judged by the bound: enough to keep both sides busy. */
const JUDGED = 64;
const ROUNDS = 3;
/** Number of sessions: with all rounds each stays below the 5,000 a day of the highest tier. */
const SESSIONS = 10;
const RECEIVE_LIMIT_MS = 300_000;
const LEAST_RATIO = 0.12;
/** Arrivals a second that do not wait for answers: while the workers are idle, and with the whole pipeline. */
const OPEN = { idle: { perSecond: 300, seconds: 20 }, whole: { perSecond: 100, seconds: 20 } };
/** The warm-up lasts until the hot code of all processes is compiled; before, their compilers have half of the machine. */
const WARM_UP_S = 20;
/** Times as long as the slowest in a hundred at the bare route in the same run: milliseconds follow the machine. */
const MOST_P99_RATIO = { idle: 4.2, whole: 4.6 };

interface Round {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
}

type Summary = Record<keyof Round, Measured>;

/** The figures of both sides at one number of clients. */
interface Comparison {
  bare: Summary;
  ours: Summary;
  ratio: number;
  /** Ratio of the times of the slowest in a hundred. */
  p99Ratio: number;
}

interface Target {
  url: string;
  headers: Record<string, string>;
  body: () => object;
}

/** Benchmark of `POST /v1/messages`: the accepted requests per second, beside a bare Fastify that inserts one row, in the same run. */
export const accept: Benchmark = {
  summary:
    'POST /v1/messages accepted per second, against a bare Fastify insert; latency of arrivals that do not wait',
  bound: `medians; at ${JUDGED} clients, workers idle: ratio >= ${LEAST_RATIO}; p99 of arrivals that do not wait, times that of the bare route: <= ${MOST_P99_RATIO.idle} at ${OPEN.idle.perSecond}/s (workers idle), <= ${MOST_P99_RATIO.whole} at ${OPEN.whole.perSecond}/s (whole pipeline)`,
  judged: {
    'clients.64.ratio': 'higher',
    'openLoop.idle.p99Ms': 'lower',
    'openLoop.whole.p99Ms': 'lower',
    'p99Ratio.idle': 'lower',
    'p99Ratio.whole': 'lower',
  },
  async run({ say }: RunOptions) {
    const stack = await Stack.start({ REQUESTS_PER_SECOND: '0', REQUEST_PACE: '1000000' });
    const bare = fork(bareProgram('accept.mjs'), {
      env: { ...process.env, DATABASE_URL: stack.file.postgres },
    });
    try {
      const port = await new Promise<number>((done, failed) => {
        bare.once('message', (message) => done((message as { port: number }).port));
        bare.once('exit', () => failed(new Error('The bare reference did not start.')));
      });
      await provideUsedLogFiles(stack.file.postgres);
      const first = await Actor.create(stack, '--plan', 'ENTERPRISE', '--internal');
      await first.promote();
      const others = await linkActors(stack, first.tenant, SESSIONS - 1, (actor) => actor.promote());
      const ours = ourTarget([first, ...others]);
      await openLoop(ours, { ...OPEN.whole, seconds: WARM_UP_S });
      const whole = await openLoops(ours, OPEN.whole, ROUNDS, (window) =>
        say(`  whole pipeline: ${JSON.stringify(window)}`),
      );
      await untilReceived([first, ...others]);
      const figures: Record<number, Comparison> = {};
      const idle = await withIdleWorkers(stack, async ({ publishNothingAgain }) => {
        const arrive = (name: string, target: Target): Promise<OpenLoopFigures> =>
          openLoops(target, OPEN.idle, ROUNDS, (window) =>
            say(`  workers idle, ${name}: ${JSON.stringify(window)}`),
          );
        // The first half minute after the workers have lost their sessions is slow, for a reason that is open.
        await openLoop(ours, { ...OPEN.idle, seconds: WARM_UP_S });
        const latencies = { ours: await arrive('ours', ours), bare: await arrive('bare', bareTarget(port)) };
        await publishNothingAgain();
        for (const clients of Object.keys(SENDS).map(Number))
          figures[clients] = await compare({ bare: bareTarget(port), ours }, clients, say);
        return latencies;
      });
      const { ratio = 0 } = figures[JUDGED] ?? {};
      const windows = { idle: idle.ours, bare: idle.bare, whole };
      const p99Ratio = {
        idle: round3(idle.ours.p99Ms.median / idle.bare.p99Ms.median),
        whole: round3(whole.p99Ms.median / idle.bare.p99Ms.median),
      };
      const isSoon = p99Ratio.idle <= MOST_P99_RATIO.idle && p99Ratio.whole <= MOST_P99_RATIO.whole;
      return {
        figures: { clients: figures, openLoop: windows, p99Ratio },
        holds: ratio >= LEAST_RATIO && isSoon,
      };
    } finally {
      bare.disconnect();
      await stack.stop();
    }
  },
};

async function compare(
  targets: { bare: Target; ours: Target },
  clients: number,
  say: RunOptions['say'],
): Promise<Comparison> {
  const rounds: Record<keyof typeof targets, Round[]> = { bare: [], ours: [] };
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const name of ['bare', 'ours'] as const) {
      const result = await load(targets[name], clients);
      if (round > 0) rounds[name].push(result); // the first one warms up
      say(`  ${String(clients).padStart(2)} clients, round ${round}, ${name}: ${JSON.stringify(result)}`);
    }
  }
  const [bare, ours] = [summary(rounds.bare), summary(rounds.ours)];
  const ratioOf = (figure: keyof Round): number => round3(ours[figure].median / bare[figure].median);
  return { bare, ours, ratio: ratioOf('perSecond'), p99Ratio: ratioOf('p99Ms') };
}

/** Waits until the contacts have what was accepted: it does not slow down the next measurement. */
async function untilReceived(actors: Actor[]): Promise<void> {
  const summaryOf = ({ stack, phone }: Actor): Promise<{ received: number }> =>
    stack.platform('GET', `/messages/summary?from=${phone}`);
  let last = -1;
  const still = async (): Promise<boolean> => {
    const counts = await Promise.all(actors.map(summaryOf));
    const received = counts.reduce((sum, count) => sum + count.received, 0);
    const isStill = received === last && received >= ROUNDS * OPEN.whole.perSecond * OPEN.whole.seconds;
    last = received;
    return isStill;
  };
  await waitFor('every accepted text to arrive', still, RECEIVE_LIMIT_MS);
}

function bareTarget(port: number): Target {
  return {
    url: `http://127.0.0.1:${port}/messages`,
    headers: { 'content-type': 'application/json' },
    body: () => ({ to: '+491511234567', text: 'bench' }),
  };
}

function ourTarget(actors: Actor[]): Target {
  const { stack, tenant } = actors[0] as Actor;
  const to = actors.map(() => `+${inventPhone()}`);
  let made = 0;
  return {
    url: `${stack.file.gateway}/v1/messages`,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${tenant.apiKey}` },
    body: () => {
      const one = made++ % actors.length;
      return { sessionId: actors[one]?.sessionId, to: to[one], text: 'bench', clientMessageId: randomUUID() };
    },
  };
}

async function load(target: Target, clients: number): Promise<Round> {
  const dispatcher = new Agent({ connections: clients });
  const times: number[] = [];
  const sends = SENDS[clients] ?? 0;
  let left = sends;
  const client = async (): Promise<void> => {
    while (left-- > 0) {
      const sentAt = performance.now();
      const { statusCode, body } = await request(target.url, {
        method: 'POST',
        headers: target.headers,
        body: JSON.stringify(target.body()),
        dispatcher,
      });
      const text = await body.text();
      if (statusCode !== 200) throw new Error(`${statusCode} ${text}`);
      times.push(performance.now() - sentAt);
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: clients }, client));
  const seconds = (performance.now() - startedAt) / 1000;
  await dispatcher.close();
  times.sort((a, b) => a - b);
  return { perSecond: round3(sends / seconds), p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99) };
}

function summary(rounds: Round[]): Summary {
  const of = (figure: keyof Round): Measured => measured(rounds.map((round) => round[figure]));
  return { perSecond: of('perSecond'), p50Ms: of('p50Ms'), p99Ms: of('p99Ms') };
}
