import { randomUUID } from 'node:crypto';
import { phoneAddress, SendMessage } from '@svc/contracts';
import { envelopeOf, Messaging } from '@svc/messaging';
import { waitFor } from '@svc/testing';
import { createTenant, inventPhone, linkActors, type NewTenant } from '../../stack/actor.js';
import { round3 } from '../../figures.js';
import type { Benchmark } from '../../named-run.js';
import { cpuMsWhenIdle, cpuMsOf } from '../../stack/process-figures.js';
import { Stack } from '../../stack/stack.js';
import { BareBaileys } from '../bare-baileys.js';
import { compareSides } from '../sides.js';

const SESSIONS = 50;
const EACH = 60;
const ROUNDS = 3;
const LIMIT_MS = 180_000;
const LEAST_RATIO = 0.4;
const MOST_CPU_RATIO = 1.8;

type Round = Record<'perSecond' | 'cpuMsEach', number>;

/** Side of the benchmark: a round sends `EACH` texts from every number to its contact. */
type Side = () => Promise<Round>;

/** Texts decrypted at contacts per second, one worker, against the bare library with its keys in memory. */
export const send: Benchmark = {
  summary:
    'texts of one worker decrypted per second, and its CPU each, against bare Baileys with keys in memory',
  bound: `ratio >= ${LEAST_RATIO} and cpuRatio <= ${MOST_CPU_RATIO}, ${SESSIONS} sessions, known contacts`,
  judged: { ratio: 'higher', cpuRatio: 'lower' },
  async run({ say }) {
    const stack = await Stack.start();
    const messaging = await Messaging.connect({ ...stack.nats, name: 'bench' });
    const bare = await BareBaileys.start(stack);
    try {
      const sides = {
        bare: await bareSide(stack, bare),
        ours: await ourSide(stack, messaging),
      };
      const { bare: reference, ours, ratio } = await compareSides(sides, ROUNDS, say);
      return {
        figures: { bare: reference, ours, ratio: ratio.perSecond, cpuRatio: ratio.cpuMsEach },
        holds: ratio.perSecond >= LEAST_RATIO && ratio.cpuMsEach <= MOST_CPU_RATIO,
      };
    } finally {
      bare.stop();
      await messaging.onApplicationShutdown();
      await stack.stop();
    }
  },
};

/** Resolves when contacts have decrypted so many more texts. */
async function decrypted(stack: Stack, { before, more }: { before: number; more: number }): Promise<void> {
  await waitFor('all texts to be decrypted', async () => (await received(stack)) - before >= more, LIMIT_MS);
}

async function received(stack: Stack): Promise<number> {
  return (await stack.platform<{ received: number }>('GET', '/messages/summary')).received;
}

async function bareSide(stack: Stack, bare: BareBaileys): Promise<Side> {
  const phones = Array.from({ length: SESSIONS }, inventPhone);
  const to = Object.fromEntries(phones.map((phone) => [phone, inventPhone()]));
  await bare.run('link', phones);
  return async () => {
    const before = await received(stack);
    const startedAt = performance.now();
    const { cpuMs } = await bare.run('send', { to, each: EACH });
    await decrypted(stack, { before, more: SESSIONS * EACH });
    return figures(performance.now() - startedAt, cpuMs);
  };
}

async function ourSide(stack: Stack, messaging: Messaging): Promise<Side> {
  const tenant = await createTenant(stack, '--plan', 'ENTERPRISE', '--internal');
  const actors = await linkActors(stack, tenant, SESSIONS);
  const contacts = new Map(actors.map(({ sessionId }) => [sessionId, inventPhone()]));
  return async () => {
    const pid = stack.pidOf('session-worker');
    const before = await received(stack);
    // The messages are published beforehand: the worker finds all of them when it wakes, and does not pay for their coming.
    process.kill(pid, 'SIGSTOP');
    const cpuBefore = cpuMsOf(pid);
    try {
      await publish(messaging, tenant, contacts);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    const startedAt = performance.now();
    await decrypted(stack, { before, more: SESSIONS * EACH });
    const took = performance.now() - startedAt;
    return figures(took, (await cpuMsWhenIdle(pid)) - cpuBefore);
  };
}

async function publish(
  messaging: Messaging,
  { tenantId }: NewTenant,
  contacts: Map<string, string>,
): Promise<void> {
  for (let n = 0; n < EACH; n += 1) {
    await Promise.all(
      [...contacts].map(([sessionId, contact]) =>
        messaging.publishCommand(
          sessionId,
          envelopeOf(
            SendMessage,
            { tenantId },
            {
              jobId: randomUUID(),
              sessionId,
              to: phoneAddress(contact),
              content: { type: 'text', text: `ours ${n}` },
              clientMessageId: null,
              acceptedAt: new Date().toISOString(),
            },
          ),
        ),
      ),
    );
  }
}

function figures(tookMs: number, cpuMs: number): Round {
  const messages = SESSIONS * EACH;
  return { perSecond: round3((messages * 1000) / tookMs), cpuMsEach: round3(cpuMs / messages) };
}
