import { waitFor, WebhookReceiver } from '@svc/testing';
import { createTenant, inventPhone, linkActors } from '../../stack/actor.js';
import { devicesOf, playScenario } from '../../stack/devices.js';
import { round3 } from '../../figures.js';
import type { Benchmark } from '../../named-run.js';
import { cpuMsWhenIdle, cpuMsOf } from '../../stack/process-figures.js';
import { Stack } from '../../stack/stack.js';
import { BareBaileys } from '../bare-baileys.js';
import { latencies, type Latency, PER_SECOND } from './inbound-latency.js';
import { compareSides } from '../sides.js';

const SESSIONS = 50;
const EACH = 60;
const ROUNDS = 3;
const LIMIT_MS = 180_000;
const LEAST_RATIO = 0.4;
const MOST_P99_MS = 150;
/** Least part of the demanded rate: below it, the times are not those of the bound. */
const LEAST_RATE_SHARE = 0.95;

/** Benchmark of texts of contacts: how many a second a worker writes down, and how long until a tenant gets the event. */
export const inbound: Benchmark = {
  summary: 'texts of contacts journaled per second against bare Baileys, and their time to the first webhook',
  bound: `ratio >= ${LEAST_RATIO}; p99 <= ${MOST_P99_MS} ms at ${PER_SECOND}/s; ${SESSIONS} sessions, known contacts`,
  judged: { ratio: 'higher', cpuRatio: 'lower', 'latency.p99Ms': 'lower' },
  async run({ say }) {
    // A worker that is held for a round must not lose its partitions by it.
    const stack = await Stack.start({ LEASE_MS: '600000' });
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
        holds: ratio >= LEAST_RATIO && isInTime(latency),
      };
    } finally {
      bare.stop();
      await receiver.stop();
      await stack.stop();
    }
  },
};

function isInTime({ p99Ms, perSecond, lost }: Latency): boolean {
  return p99Ms.median <= MOST_P99_MS && perSecond.median >= LEAST_RATE_SHARE * PER_SECOND && lost === 0;
}

/**
 * Makes the side of the rate, whose round writes everything while the process is held, so that neither the contacts' encryption nor the
 * platform is what is measured; then waits until the last text is confirmed. A worker of ours confirms what it has journaled.
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
    const startedAt = performance.now();
    await waitFor('every text to be confirmed', isConfirmed, LIMIT_MS);
    const seconds = (performance.now() - startedAt) / 1000;
    const cpuMs = (await cpuMsWhenIdle(pid)) - cpuBefore;
    return { perSecond: round3(texts / seconds), cpuMsEach: round3(cpuMs / texts) };
  };
}
