import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { waitFor, type WebhookReceiver } from '@svc/testing';
import { type Actor, inventPhone } from '../../stack/actor.js';
import { type Measured, measured, quantile, round3 } from '../../figures.js';

/** Number of texts a second, of all sessions together. */
export const PER_SECOND = 100;
const SECONDS = 15;
const ROUNDS = 3;
const LIMIT_MS = 180_000;

/** The time that a tenant waits for a text of a contact. */
export interface Latency {
  p50Ms: Measured;
  p99Ms: Measured;
  maxMs: Measured;
  /** Texts written per second, which is less than asked for where the machine is too slow. */
  perSecond: Measured;
  lost: number;
}

/** Measures the time from the moment a contact begins to write until the first attempt at the webhook has arrived, encryption and HTTP included. */
export async function latencies(
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
    if (n > 0) rounds.push(round); // the first round makes the contacts known to the sessions
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
  const startedAt = performance.now();
  for (let n = 0; n < PER_SECOND * SECONDS; n += 1) {
    await delay(Math.max(0, startedAt + (n * 1000) / PER_SECOND - performance.now()));
    const place = n % actors.length;
    const text = randomUUID();
    writtenAt.set(text, Date.now());
    underWay.push((actors[place] as Actor).write(contacts[place] as string, text));
  }
  const perSecond = round3(writtenAt.size / ((performance.now() - startedAt) / 1000));
  await Promise.all(underWay);
  const arrivals = (): Map<string, number> => firstArrivals(receiver, writtenAt);
  const all = (): boolean => arrivals().size === writtenAt.size;
  await waitFor('every webhook', all, LIMIT_MS).catch(() => undefined); // missing ones are counted
  const times = [...arrivals()].map(([text, at]) => at - (writtenAt.get(text) ?? 0)).sort((a, b) => a - b);
  receiver.received.length = 0;
  return { times, perSecond, missing: writtenAt.size - times.length };
}

/** Finds when each of these texts came first. */
function firstArrivals(receiver: WebhookReceiver, texts: Map<string, number>): Map<string, number> {
  const arrivals = new Map<string, number>();
  for (const [n, { payload }] of receiver.bodies().entries()) {
    const text = (payload['body'] as { text?: string } | undefined)?.text ?? '';
    if (texts.has(text) && !arrivals.has(text)) arrivals.set(text, receiver.received[n]?.at ?? 0);
  }
  return arrivals;
}
