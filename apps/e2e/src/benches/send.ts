import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { SendMessage } from '@svc/contracts';
import { envelopeOf, Messaging } from '@svc/messaging';
import { waitFor } from '@svc/testing';
import { Actor, createTenant, inventPhone, type NewTenant } from '../actor.js';
import { type Measured, measured, round3 } from '../figures.js';
import type { NamedRun } from '../named-runs.js';
import { cpuMsOf } from '../process-figures.js';
import { Stack } from '../stack.js';
import { BareBaileys } from './bare-baileys.js';

const SESSIONS = 50;
const EACH = 60;
const ROUNDS = 3;
const LIMIT_MS = 180_000;
const LEAST_RATIO = 0.4;
const MOST_CPU_RATIO = 1.8;

interface Round {
  perSecond: number;
  cpuMsEach: number;
}

/** One side: a round sends `EACH` texts from every number to its contact. */
type Side = () => Promise<Round>;

/** Texts decrypted at contacts per second, one worker, against the bare library with its keys in memory. */
export const send: NamedRun = {
  summary:
    'texts of one worker decrypted per second, and its CPU each, against bare Baileys with keys in memory',
  bound: `ratio >= ${LEAST_RATIO} and cpuRatio <= ${MOST_CPU_RATIO}, ${SESSIONS} sessions, known contacts`,
  async run({ say }) {
    const stack = await Stack.start();
    const messaging = await Messaging.connect({ url: stack.file.nats, name: 'bench' });
    const bare = await BareBaileys.start(stack);
    try {
      const sides = {
        bare: await bareSide(stack, bare),
        ours: await ourSide(stack, messaging),
      };
      const rounds: Record<keyof typeof sides, Round[]> = { bare: [], ours: [] };
      for (let n = 0; n <= ROUNDS; n += 1) {
        for (const name of ['bare', 'ours'] as const) {
          const result = await sides[name]();
          if (n > 0) rounds[name].push(result); // the first one makes the contacts known
          say(`  round ${n}, ${name}: ${JSON.stringify(result)}`);
        }
      }
      const of = (name: keyof typeof sides, figure: keyof Round): Measured =>
        measured(rounds[name].map((one) => one[figure]));
      const ratioOf = (figure: keyof Round): number =>
        round3(of('ours', figure).median / of('bare', figure).median);
      const [ratio, cpuRatio] = [ratioOf('perSecond'), ratioOf('cpuMsEach')];
      const summary = (name: keyof typeof sides): Record<keyof Round, Measured> => ({
        perSecond: of(name, 'perSecond'),
        cpuMsEach: of(name, 'cpuMsEach'),
      });
      return {
        figures: { bare: summary('bare'), ours: summary('ours'), ratio, cpuRatio },
        holds: ratio >= LEAST_RATIO && cpuRatio <= MOST_CPU_RATIO,
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
    const begun = performance.now();
    const { cpuMs } = await bare.run('send', { to, each: EACH });
    await decrypted(stack, { before, more: SESSIONS * EACH });
    return figures(performance.now() - begun, cpuMs);
  };
}

async function ourSide(stack: Stack, messaging: Messaging): Promise<Side> {
  const tenant = await createTenant(stack, '--plan', 'ENTERPRISE', '--internal');
  const actors: Actor[] = [];
  for (let n = 0; n < SESSIONS; n += 1) actors.push(await Actor.link(stack, tenant));
  const contacts = new Map(actors.map(({ sessionId }) => [sessionId, inventPhone()]));
  return async () => {
    const pid = stack.pidOf('session-worker');
    const before = await received(stack);
    // Published beforehand: the worker finds all of them when it wakes, and does not pay for their coming.
    process.kill(pid, 'SIGSTOP');
    const cpuBefore = cpuMsOf(pid);
    try {
      await publish(messaging, tenant, contacts);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    const begun = performance.now();
    await decrypted(stack, { before, more: SESSIONS * EACH });
    const took = performance.now() - begun;
    return figures(took, (await cpuAtRest(pid)) - cpuBefore);
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
              to: `${contact}@s.whatsapp.net`,
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

/** CPU time when the process has written down all that came of it. */
async function cpuAtRest(pid: number): Promise<number> {
  for (let before = cpuMsOf(pid); ;) {
    await delay(500);
    const now = cpuMsOf(pid);
    if (now - before <= 20) return now;
    before = now;
  }
}

function figures(tookMs: number, cpuMs: number): Round {
  const messages = SESSIONS * EACH;
  return { perSecond: round3((messages * 1000) / tookMs), cpuMsEach: round3(cpuMs / messages) };
}
