import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { waitFor, WebhookReceiver } from '@svc/testing';
import { type Actor, createTenant, inventPhone, linkActors } from '../actor.js';
import { devicesOf, playScenario } from '../devices.js';
import { type Measured, measured, quantile, round3 } from '../figures.js';
import type { NamedRun } from '../named-runs.js';
import { cpuAtRest, cpuMsOf } from '../process-figures.js';
import { Stack } from '../stack.js';
import { BareBaileys } from './bare-baileys.js';
import { compareSides } from './sides.js';

const SESSIONS = 50;
const EACH = 60;
const ROUNDS = 3;
const LIMIT_MS = 180_000;
const LEAST_RATIO = 0.4;
const PER_SECOND = 100;
const SECONDS = 15;
const MOST_P99_MS = 150;

/** Texts of contacts: how many a second a worker writes down, and how long until a tenant hears of one. */
export const inbound: NamedRun = {
  summary: 'texts of contacts journaled per second against bare Baileys, and their time to the first webhook',
  bound: `ratio >= ${LEAST_RATIO}; p99 <= ${MOST_P99_MS} ms at ${PER_SECOND}/s; ${SESSIONS} sessions, known contacts`,
  async run({ say }) {
    // A worker that is held for a round must not lose its partitions by it.
    const stack = await Stack.start({ LEASE_MS: '60000' });
    const receiver = await WebhookReceiver.start();
    const bare = await BareBaileys.start(stack);
    try {
      const tenant = await createTenant(stack, '--plan', 'ENTERPRISE', '--internal');
      const actors = await linkActors(stack, tenant, SESSIONS);
      const phones = Array.from({ length: SESSIONS }, inventPhone);
      await bare.run('link', phones);
      const rates = await compareSides(
        {
          bare: rateSide(stack, phones, () => bare.pid),
          ours: rateSide(
            stack,
            actors.map(({ phone }) => phone),
            () => stack.pidOf('session-worker'),
          ),
        },
        ROUNDS,
        say,
      );
      bare.stop();
      const latency = await latencies(actors, receiver, say);
      const [ratio, cpuRatio] = [rates.ratio.perSecond, rates.ratio.cpuMsEach];
      return {
        figures: { bare: rates.bare, ours: rates.ours, ratio, cpuRatio, latency },
        holds: ratio >= LEAST_RATIO && latency.p99Ms.median <= MOST_P99_MS && latency.lost === 0,
      };
    } finally {
      bare.stop();
      await receiver.stop();
      await stack.stop();
    }
  },
};

/**
 * One round: everything is written while the process is held, so that neither the contacts' encryption nor the platform
 * is what is measured; then until the last text is confirmed. A worker of ours confirms what it has journaled.
 */
function rateSide(
  stack: Stack,
  phones: string[],
  pidOf: () => number,
): () => Promise<Record<'perSecond' | 'cpuMsEach', number>> {
  const contacts = new Map(phones.map((phone) => [phone, inventPhone()]));
  const texts = phones.length * EACH;
  const isConfirmed = async (): Promise<boolean> => {
    const devices = await devicesOf(stack);
    return phones.every((phone) => devices.get(phone)?.every(({ queued }) => queued === 0));
  };
  return async () => {
    const pid = pidOf();
    await waitFor('a quiet start', isConfirmed, LIMIT_MS);
    process.kill(pid, 'SIGSTOP');
    const cpuBefore = cpuMsOf(pid);
    try {
      const step = ([to, phone]: [string, string]): object => ({
        action: 'write',
        phone,
        body: { to, text: 'text {n}' },
        times: EACH,
      });
      await playScenario(stack, [...contacts].map(step));
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    const begun = performance.now();
    await waitFor('every text to be confirmed', isConfirmed, LIMIT_MS);
    const seconds = (performance.now() - begun) / 1000;
    const cpuMs = (await cpuAtRest(pid)) - cpuBefore;
    return { perSecond: round3(texts / seconds), cpuMsEach: round3(cpuMs / texts) };
  };
}

interface Latency {
  p50Ms: Measured;
  p99Ms: Measured;
  maxMs: Measured;
  /** Texts written per second, which is less than asked for where the machine is too slow. */
  perSecond: Measured;
  lost: number;
}

/** From the moment a contact begins to write until the first attempt at the webhook has arrived, encryption and HTTP included. */
async function latencies(
  actors: Actor[],
  receiver: WebhookReceiver,
  say: (line: string) => void,
): Promise<Latency> {
  for (const actor of actors) await actor.listen(receiver);
  const contacts = actors.map(inventPhone);
  const rounds: { p50Ms: number; p99Ms: number; maxMs: number; perSecond: number }[] = [];
  let lost = 0;
  for (let n = 0; n <= ROUNDS; n += 1) {
    const { times, perSecond, missing } = await writeAtRate(actors, contacts, receiver);
    lost += missing;
    const round = {
      p50Ms: quantile(times, 0.5),
      p99Ms: quantile(times, 0.99),
      maxMs: times.at(-1) ?? 0,
      perSecond,
    };
    if (n > 0) rounds.push(round); // the first one makes the contacts known
    say(`  latency, round ${n}: ${JSON.stringify(round)}`);
  }
  const of = (figure: 'p50Ms' | 'p99Ms' | 'maxMs' | 'perSecond'): Measured =>
    measured(rounds.map((round) => round[figure]));
  return { p50Ms: of('p50Ms'), p99Ms: of('p99Ms'), maxMs: of('maxMs'), perSecond: of('perSecond'), lost };
}

async function writeAtRate(
  actors: Actor[],
  contacts: string[],
  receiver: WebhookReceiver,
): Promise<{ times: number[]; perSecond: number; missing: number }> {
  const writtenAt = new Map<string, number>();
  const underWay: Promise<void>[] = [];
  const begun = performance.now();
  for (let n = 0; n < PER_SECOND * SECONDS; n += 1) {
    await delay(Math.max(0, begun + (n * 1000) / PER_SECOND - performance.now()));
    const place = n % actors.length;
    const text = randomUUID();
    writtenAt.set(text, Date.now());
    underWay.push((actors[place] as Actor).write(contacts[place] as string, text));
  }
  const perSecond = round3(writtenAt.size / ((performance.now() - begun) / 1000));
  await Promise.all(underWay);
  const heard = (): Map<string, number> => firstHeard(receiver, writtenAt);
  const all = (): boolean => heard().size === writtenAt.size;
  await waitFor('every webhook', all, LIMIT_MS).catch(() => undefined); // what is missing is counted
  const times = [...heard()].map(([text, at]) => at - (writtenAt.get(text) ?? 0)).sort((a, b) => a - b);
  receiver.received.length = 0;
  return { times, perSecond, missing: writtenAt.size - times.length };
}

/** When each of these texts came first. */
function firstHeard(receiver: WebhookReceiver, texts: Map<string, number>): Map<string, number> {
  const heard = new Map<string, number>();
  for (const [n, { payload }] of receiver.bodies().entries()) {
    const text = (payload['body'] as { text?: string } | undefined)?.text ?? '';
    if (texts.has(text) && !heard.has(text)) heard.set(text, receiver.received[n]?.at ?? 0);
  }
  return heard;
}
