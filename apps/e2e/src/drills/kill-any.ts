import { randomUUID } from 'node:crypto';
import { waitFor, WebhookReceiver } from '@svc/testing';
import { Actor, inventPhone } from '../actor.js';
import type { NamedRun } from '../named-runs.js';
import { Stack } from '../stack.js';
import { seededRandom } from '../random.js';

const MESSAGES = 200;
const CLIENTS = 4;
const SETTLE_LIMIT_MS = 120_000;
const VICTIMS = [
  'api-gateway',
  'session-worker',
  'webhook-dispatcher',
  'limits',
  'billing',
  'postgres',
  'nats-server',
];

/** What one kill did, counted at the simulator and at the receiver. */
interface KillFigures {
  killedAfter: number;
  settledMs: number;
  lostOut: number;
  lostIn: number;
  doubles: number;
  missingWebhooks: number;
  repeatedWebhooks: number;
  repeatsWithOtherId: number;
}

/** `kill -9` of each process in turn, in the middle of 200 sends and 200 inbound texts. */
export const killAny: NamedRun = {
  summary: 'kill -9 of each service in turn during 200 sends and 200 inbound messages',
  async run(options) {
    const stack = await Stack.start();
    const receiver = await WebhookReceiver.start();
    try {
      const actor = await Actor.create(stack, '--plan', 'ENTERPRISE', '--internal');
      await actor.promote();
      await actor.listen(receiver);
      const names = new Set(stack.file.processes.map(({ name }) => name));
      const figures: Record<string, KillFigures> = {};
      const random = seededRandom(options.seed);
      for (const victim of VICTIMS.filter((name) => names.has(name))) {
        figures[victim] = await killDuringLoad(actor, receiver, victim, random());
        options.say(`  ${victim.padEnd(20)} ${JSON.stringify(figures[victim])}`);
      }
      const missed = VICTIMS.filter((name) => !names.has(name));
      return {
        figures: { ...figures, ...(missed.length > 0 ? { notRunHere: missed } : {}), seed: options.seed },
        bound: 'nothing lost or doubled, every webhook arrived, repeats only under the same delivery id',
        holds: missed.length === 0 && Object.values(figures).every(isClean),
      };
    } finally {
      await receiver.stop();
      await stack.stop();
    }
  },
};

function isClean(figures: KillFigures): boolean {
  const { lostOut, lostIn, doubles, missingWebhooks, repeatsWithOtherId } = figures;
  return lostOut + lostIn + doubles + missingWebhooks + repeatsWithOtherId === 0;
}

async function killDuringLoad(
  actor: Actor,
  receiver: WebhookReceiver,
  victim: string,
  random: number,
): Promise<KillFigures> {
  const contact = inventPhone();
  const texts = Array.from({ length: MESSAGES }, (_, n) => `${victim} ${n} ${randomUUID()}`);
  const killAt = Math.round(MESSAGES * (0.2 + 0.6 * random));
  const jobs = new Map<string, string>();
  let killedAt = 0;
  const accepted = (text: string, jobId: string): void => {
    jobs.set(text, jobId);
    if (jobs.size !== killAt) return;
    killedAt = performance.now();
    actor.stack.kill(victim);
  };
  await Promise.all([sendAll(actor, contact, texts, accepted), writeAll(actor, contact, texts)]);
  const count = (): Promise<Omit<KillFigures, 'killedAfter' | 'settledMs'>> =>
    tally(actor, receiver, contact, jobs, texts);
  await waitFor(
    'everything to arrive',
    async () => {
      const { lostOut, lostIn, missingWebhooks } = await count();
      return lostOut + lostIn + missingWebhooks === 0;
    },
    SETTLE_LIMIT_MS,
  ).catch(() => undefined); // what is missing shows in the figures
  return { killedAfter: killAt, settledMs: Math.round(performance.now() - killedAt), ...(await count()) };
}

/** A client that repeats its `clientMessageId` until it has an answer, as real ones do. */
async function sendAll(
  actor: Actor,
  contact: string,
  texts: string[],
  accepted: (text: string, jobId: string) => void,
): Promise<void> {
  const queue = texts.map((text) => ({ text, id: randomUUID() }));
  const client = async (): Promise<void> => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const { text, id } = next;
      const jobId = await waitFor(
        'the send to be accepted',
        async () => {
          const answer = await actor.send(contact, text, id);
          return answer.status === 200 && String(answer.body['jobId']);
        },
        SETTLE_LIMIT_MS,
      );
      accepted(text, jobId);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}

async function writeAll(actor: Actor, contact: string, texts: string[]): Promise<void> {
  for (const text of texts) await actor.write(contact, text);
}

async function tally(
  actor: Actor,
  receiver: WebhookReceiver,
  contact: string,
  jobs: Map<string, string>,
  texts: string[],
): Promise<Omit<KillFigures, 'killedAfter' | 'settledMs'>> {
  const inbox = (await actor.inbox(contact)).map(({ text }) => text);
  const idsOf = deliveriesByFact(receiver);
  const expected = [...jobs.values()].flatMap((jobId) => [
    `message.sent ${jobId}`,
    `message.delivered ${jobId}`,
  ]);
  const heard = texts.map((text) => `message.received ${text}`);
  const facts = [...expected, ...heard].map((fact) => idsOf.get(fact) ?? []);
  return {
    lostOut: texts.filter((text) => !inbox.includes(text)).length,
    lostIn: heard.filter((fact) => !idsOf.has(fact)).length,
    doubles: inbox.length - new Set(inbox).size,
    missingWebhooks: expected.filter((fact) => !idsOf.has(fact)).length,
    repeatedWebhooks: facts.reduce((sum, ids) => sum + Math.max(0, ids.length - 1), 0),
    repeatsWithOtherId: facts.filter((ids) => new Set(ids).size > 1).length,
  };
}

/** Delivery ids by what they tell: an event and its job, or an event and its text. */
function deliveriesByFact(receiver: WebhookReceiver): Map<string, string[]> {
  const ids = new Map<string, string[]>();
  for (const { event, deliveryId, payload } of receiver.bodies()) {
    const about = payload['jobId'] ?? (payload['body'] as { text?: string } | undefined)?.text;
    const fact = `${event} ${String(about)}`;
    ids.set(fact, [...(ids.get(fact) ?? []), deliveryId]);
  }
  return ids;
}
