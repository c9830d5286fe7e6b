import { seededRandom, WebhookReceiver } from '@svc/testing';
import { Actor } from '../stack/actor.js';
import type { NamedRun } from '../named-run.js';
import { Stack } from '../stack/stack.js';
import { type KillFigures, killDuringLoad, type Round } from '../load/kill-during-load.js';
import { isClean } from '../load/load.js';

const MESSAGES = 200;
const SERVICES = ['api-gateway', 'session-worker', 'webhook-dispatcher', 'limits', 'billing', 'assistant'];
/** Servers, which are missing where `DATABASE_URL` or `NATS_URL` name other ones. */
const SERVERS = ['postgres', 'nats-server'];

/** `kill -9` of each process in turn, in the middle of 200 sends and 200 inbound texts. */
export const killAny: NamedRun = {
  summary: 'kill -9 of each service, and of both servers, in turn during 200 sends and 200 inbound messages',
  bound:
    'all sends accepted, nothing lost, nothing twice at a contact, every webhook arrived, repeats only under the same delivery id',
  async run({ seed, say }) {
    const stack = await Stack.start();
    const receiver = await WebhookReceiver.start();
    const actor = await Actor.create(stack, '--plan', 'ENTERPRISE', '--internal');
    await actor.promote();
    await actor.listen(receiver);
    const running = new Set(stack.file.processes.map(({ name }) => name));
    const random = seededRandom(seed);
    const rounds = new Map<string, Round>();
    for (const victim of [...SERVICES, ...SERVERS.filter((name) => running.has(name))]) {
      const after = Math.round(MESSAGES * (0.2 + 0.6 * random()));
      const round = await killDuringLoad(actor, receiver, { victim, messages: MESSAGES, after });
      rounds.set(victim, round);
      say(`  ${victim.padEnd(20)} ${JSON.stringify(await round.count())}`);
    }
    // The figures are counted once more at the very end: a second copy may have come late.
    const figures: [string, KillFigures][] = [];
    for (const [victim, round] of rounds) figures.push([victim, await round.count()]);
    await receiver.stop();
    const group = (names: string[]): object =>
      Object.fromEntries(figures.filter(([name]) => names.includes(name)));
    return {
      figures: { seed, messages: MESSAGES, services: group(SERVICES), servers: group(SERVERS) },
      holds: figures.every(([, one]) => isClean(one, MESSAGES)),
    };
  },
};
