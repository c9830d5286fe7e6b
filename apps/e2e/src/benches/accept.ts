import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { waitFor } from '@svc/testing';
import { Agent, request } from 'undici';
import { Actor, inventPhone } from '../actor.js';
import { type Measured, measured, quantile, round3 } from '../figures.js';
import type { NamedRun, RunOptions } from '../named-runs.js';
import { Stack } from '../stack.js';

/** Sends per round, by clients at a time; with all rounds they stay below the 5,000 a day of the highest tier. */
const SENDS: Record<number, number> = { 1: 100, 16: 400, 64: 400 };
/** The number of clients whose ratio is held against the bound: enough to keep both sides busy. */
const JUDGED = 16;
const ROUNDS = 3;
const REST_LIMIT_MS = 120_000;
/**
 * One insert against: key, subscription, session, reservation, two inserts, a publish – four services and 13 round trips.
 * Just under what two cores measure (0.061, 0.067 and 0.10 at 1, 16 and 64 clients), so that a step for the worse shows.
 */
const LEAST_RATIO = 0.05;
/** What the first bound allows the average: the slowest in a hundred must not pay more. Two cores measure 12.5. */
const MOST_P99_RATIO = 1 / LEAST_RATIO;

interface Round {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
}

type Summary = Record<keyof Round, Measured>;

/** Both sides at one number of clients. */
interface Comparison {
  bare: Summary;
  ours: Summary;
  ratio: number;
  /** How many times as long the slowest in a hundred takes. */
  p99Ratio: number;
}

interface Target {
  /** Resolves when what was accepted is done with: it must not slow down the next measurement. */
  rest: () => Promise<unknown>;
  url: string;
  headers: Record<string, string>;
  body: () => object;
}

/** `POST /v1/messages` accepted per second, beside a bare Fastify that inserts one row, in the same run. */
export const accept: NamedRun = {
  summary: 'POST /v1/messages accepted per second, against a bare Fastify insert',
  bound: `at ${JUDGED} clients: ratio >= ${LEAST_RATIO} and p99Ratio <= ${MOST_P99_RATIO}`,
  async run({ say }: RunOptions) {
    const stack = await Stack.start();
    const bare = fork(resolve(import.meta.dirname, '../../bare/accept.mjs'), {
      env: { ...process.env, DATABASE_URL: stack.file.postgres },
    });
    try {
      const port = await new Promise<number>((done, failed) => {
        bare.once('message', (message) => done((message as { port: number }).port));
        bare.once('exit', () => failed(new Error('The bare reference did not start.')));
      });
      const actor = await Actor.create(stack, '--plan', 'ENTERPRISE', '--internal');
      await actor.promote();
      const targets = { bare: bareTarget(port), ours: ourTarget(actor) };
      const figures: Record<number, Comparison> = {};
      for (const clients of Object.keys(SENDS).map(Number))
        figures[clients] = await compare(targets, clients, say);
      const { ratio = 0, p99Ratio = Infinity } = figures[JUDGED] ?? {};
      return {
        figures: { clients: figures },
        holds: ratio >= LEAST_RATIO && p99Ratio <= MOST_P99_RATIO,
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
      await targets[name].rest();
      if (round > 0) rounds[name].push(result); // the first one warms up
      say(`  ${String(clients).padStart(2)} clients, round ${round}, ${name}: ${JSON.stringify(result)}`);
    }
  }
  const [bare, ours] = [summary(rounds.bare), summary(rounds.ours)];
  const ratioOf = (figure: keyof Round): number => round3(ours[figure].median / bare[figure].median);
  return { bare, ours, ratio: ratioOf('perSecond'), p99Ratio: ratioOf('p99Ms') };
}

function bareTarget(port: number): Target {
  return {
    rest: () => Promise.resolve(),
    url: `http://127.0.0.1:${port}/messages`,
    headers: { 'content-type': 'application/json' },
    body: () => ({ to: '+491511234567', text: 'bench' }),
  };
}

function ourTarget({ stack, tenant, sessionId, phone }: Actor): Target {
  const to = `+${inventPhone()}`;
  let made = 0;
  const arrived = async (): Promise<boolean> => {
    const { received } = await stack.platform<{ received: number }>('GET', `/messages/summary?from=${phone}`);
    return received === made;
  };
  return {
    rest: () => waitFor('every accepted text to arrive', arrived, REST_LIMIT_MS),
    url: `${stack.file.gateway}/v1/messages`,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${tenant.apiKey}` },
    body: () => {
      made += 1;
      return { sessionId, to, text: 'bench', clientMessageId: randomUUID() };
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
      const startedAt = performance.now();
      const { statusCode, body } = await request(target.url, {
        method: 'POST',
        headers: target.headers,
        body: JSON.stringify(target.body()),
        dispatcher,
      });
      const text = await body.text();
      if (statusCode !== 200) throw new Error(`${statusCode} ${text}`);
      times.push(performance.now() - startedAt);
    }
  };
  const begun = performance.now();
  await Promise.all(Array.from({ length: clients }, client));
  const seconds = (performance.now() - begun) / 1000;
  await dispatcher.close();
  times.sort((a, b) => a - b);
  return { perSecond: round3(sends / seconds), p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99) };
}

function summary(rounds: Round[]): Summary {
  const of = (figure: keyof Round): Measured => measured(rounds.map((round) => round[figure]));
  return { perSecond: of('perSecond'), p50Ms: of('p50Ms'), p99Ms: of('p99Ms') };
}
