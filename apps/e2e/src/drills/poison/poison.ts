import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { waitFor, type WebhookReceiver } from '@svc/testing';
import { quantile } from '../../figures.js';
import { type Crowd, disperse, gather } from '../../load/crowd.js';
import type { NamedRun } from '../../named-run.js';
import { inventPhone } from '../../stack/actor.js';
import { BY_OWNER, POISON } from './poison-kinds.js';

const SESSIONS = 20;
const OF_EACH_KIND = 10;
/** Ordinary messages for each poisonous one. */
const EVERY = 10;
const PER_SECOND = 50;
const MOST_RATIO = 2;
/** Least time of a ratio, in ms: below it, a ratio says more about the machine than about us. */
const LEAST_MS = 50;
const SETTLE_LIMIT_MS = 60_000;
const LOOK_MS = 500;

const kinds = Object.values(POISON);
const POISONOUS = kinds.length * OF_EACH_KIND;
const HEALTHY = POISONOUS * EVERY;

/** Messages that something cannot take, among others, to the same sessions. */
export const poison: NamedRun = {
  summary: `${POISONOUS} messages of ${kinds.length} kinds that something cannot take among ${HEALTHY} ordinary ones, to ${SESSIONS} sessions`,
  bound: `no session disconnects more than once; ordinary ones are told with a p99 of at most ${MOST_RATIO} times that without poison; each poisonous one is told once`,
  async run({ say }) {
    const crowd = await gather({ workers: 1, sessions: SESSIONS }, say);
    const contacts = crowd.actors.map(() => inventPhone());
    const writer = new Writer(crowd, contacts);
    await writer.write(SESSIONS, () => []); // keys are exchanged with a first message
    const quiet = await writer.write(HEALTHY, () => []);
    say(`  without poison ${JSON.stringify(quiet)}`);
    const poisoned = await writer.write(HEALTHY, (n) =>
      n % EVERY === 0 ? [kinds[(n / EVERY) % kinds.length] as object] : [],
    );
    say(`  with poison ${JSON.stringify(poisoned)}`);
    const { longestAwayMs, logins, mostLoginsOfOne } = await crowd.watch.figures();
    await disperse(crowd);
    const p99Ratio = poisoned.p99Ms / Math.max(quiet.p99Ms, LEAST_MS);
    const figures = { quiet, poisoned, p99Ratio, longestAwayMs, logins, mostLoginsOfOne };
    const isComplete = [quiet, poisoned].every(({ lost, twice }) => lost + twice === 0);
    return { figures, holds: isComplete && p99Ratio <= MOST_RATIO && mostLoginsOfOne <= 1 };
  },
};

interface Figures {
  p50Ms: number;
  p99Ms: number;
  ordinary: number;
  poisonous: number;
  lost: number;
  twice: number;
}

/** Writes to the sessions in turn, at a steady pace, and finds the events of it. */
class Writer {
  constructor(
    private readonly crowd: Crowd,
    private readonly contacts: string[],
  ) {}

  /**
   * Writes so many ordinary texts.
   * @param before what else is written in front of the n-th ordinary text.
   */
  async write(count: number, before: (n: number) => object[]): Promise<Figures> {
    const startedAt = performance.now();
    const writtenAt = new Map<string, number>();
    const poisonous = new Set<string>();
    const underWay: Promise<void>[] = [];
    for (let n = 0; n < count; n += 1) {
      await delay(Math.max(0, startedAt + (n * 1_000) / PER_SECOND - performance.now()));
      const bodies = [...before(n), { text: `ordinary ${randomUUID()}` }];
      underWay.push(
        this.send(n, bodies).then((ids) => {
          writtenAt.set(ids.at(-1) as string, Date.now());
          for (const id of ids.slice(0, -1)) poisonous.add(id);
        }),
      );
    }
    await Promise.all(underWay);
    const all = [...writtenAt.keys(), ...poisonous];
    const hasEveryEvent = async (): Promise<boolean> => {
      const times = eventTimes(this.crowd.receiver);
      if (all.every((id) => times.has(id))) return true;
      await delay(LOOK_MS); // counting takes longer the more there is
      return false;
    };
    await waitFor('everything to be told', hasEveryEvent, SETTLE_LIMIT_MS).catch(() => undefined);
    const times = eventTimes(this.crowd.receiver);
    const latencies = [...writtenAt].flatMap(([id, at]) => {
      const [first] = times.get(id) ?? [];
      return first === undefined ? [] : [Math.max(0, first - at)];
    });
    const sorted = latencies.sort((a, b) => a - b);
    return {
      ...{ p50Ms: quantile(sorted, 0.5), p99Ms: quantile(sorted, 0.99) },
      ...{ ordinary: writtenAt.size, poisonous: poisonous.size },
      lost: all.filter((id) => !times.has(id)).length,
      twice: all.filter((id) => (times.get(id)?.length ?? 0) > 1).length,
    };
  }

  /**
   * Writes bodies to one session.
   * @returns the platform's ids of what was written, in order.
   */
  private async send(n: number, bodies: object[]): Promise<string[]> {
    const { actors } = this.crowd;
    const actor = actors[n % actors.length];
    const contact = this.contacts[n % actors.length];
    const ids: string[] = [];
    for (const body of bodies) {
      const [from, to] =
        body === BY_OWNER ? [`/accounts/${actor?.phone}`, contact] : [`/contacts/${contact}`, actor?.phone];
      const path = `${from}/messages`;
      const written = await actor?.stack.platform<{ id: string }>('POST', path, { to, ...body });
      ids.push(written?.id ?? '');
    }
    return ids;
  }
}

/** Finds the times of the events of each message, by its id on the platform; a delivery that is repeated under its id counts once. */
function eventTimes(receiver: WebhookReceiver): Map<string, number[]> {
  const times = new Map<string, number[]>();
  const deliveries = new Set<string>();
  for (const [n, { event, deliveryId, payload }] of receiver.bodies().entries()) {
    if (event !== 'message.received' || deliveries.has(deliveryId)) continue;
    deliveries.add(deliveryId);
    const id = String(payload['keyId']);
    times.set(id, [...(times.get(id) ?? []), receiver.received[n]?.at ?? 0]);
  }
  return times;
}
