import { type Measured, measured, quantile, round3 } from '../../figures.js';
import type { Benchmark } from '../../named-run.js';
import { type Subscriber, WebhookScene } from '../../stack/webhook-scene.js';
import { bad, BAD_BOUND } from './bad-receivers.js';

const SECONDS = 15;
/**
 * Number of rounds: a single stall of the machine makes up the slowest in a hundred of a window, and it takes several to distinguish it
 * from a neighbour.
 */
const ROUNDS = 3;

const ONE_DEAD = { backlog: 100_000, perSecond: 100, mostMs: 10 };
const MANY_DEAD = { dying: 1_000, dyingPerSecond: 200, healthy: 200, each: 100, perSecond: 500, mostMs: 50 };

/** Measures what healthy receivers notice of others that are dead or worse. */
export const isolation: Benchmark = {
  summary:
    'how much later healthy receivers hear while others are dead, dying together, dripping, or answering too much',
  bound:
    `medians of ${ROUNDS} rounds: p99 of ${ONE_DEAD.perSecond}/s within ${ONE_DEAD.mostMs} ms of the baseline beside one dead receiver with ${ONE_DEAD.backlog} due; ` +
    `p99 of ${MANY_DEAD.perSecond}/s to ${MANY_DEAD.healthy} within ${MANY_DEAD.mostMs} ms while ${MANY_DEAD.dying} who get ${MANY_DEAD.dyingPerSecond}/s die together, ` +
    `and with ${MANY_DEAD.each} due for each of them; ` +
    `${BAD_BOUND}; none lost`,
  judged: {
    'oneDead.laterMs': 'lower',
    'dying.laterMs': 'lower',
    'dead.laterMs': 'lower',
    'bad.grownMb': 'lower',
  },
  async run({ say }) {
    const one = await rounds(oneDead, say);
    const many = await rounds(manyDead, say);
    const parts = {
      oneDead: compare(one, 'beside', ONE_DEAD.mostMs),
      dying: compare(many, 'dying', MANY_DEAD.mostMs),
      dead: compare(many, 'dead', MANY_DEAD.mostMs),
      bad: await inScene(bad, say),
    };
    return { figures: parts, holds: Object.values(parts).every(({ holds }) => holds) };
  },
};

interface Latency {
  p50Ms: number;
  p99Ms: number;
  lost: number;
}

/** The latencies of one round: without others in trouble, and beside them. */
type Found<Trouble extends string> = Record<'baseline' | Trouble, Latency>;
type Say = (line: string) => void;

async function inScene<T>(part: (scene: WebhookScene, say: Say) => Promise<T>, say: Say): Promise<T> {
  const scene = await WebhookScene.start();
  try {
    const figures = await part(scene, say);
    say(`  ${part.name}: ${JSON.stringify(figures)}`);
    return figures;
  } finally {
    await scene.stop();
  }
}

/** Plays each round on servers of its own: a receiver that died once does not count as proven any more. */
async function rounds<T>(part: (scene: WebhookScene, say: Say) => Promise<T>, say: Say): Promise<T[]> {
  const found: T[] = [];
  while (found.length < ROUNDS) found.push(await inScene(part, say));
  return found;
}

async function oneDead(scene: WebhookScene, say: Say): Promise<Found<'beside'>> {
  const { backlog, perSecond } = ONE_DEAD;
  const healthy = await scene.subscribe('ok', 1);
  await warm(scene, healthy, perSecond);
  const baseline = await p99(scene, healthy, perSecond);
  const dead = await scene.subscribe('dead', 1);
  const startedAt = performance.now();
  await scene.flood(dead, backlog);
  say(
    `  ${backlog} for a dead receiver published in ${Math.round((performance.now() - startedAt) / 1000)} s`,
  );
  await scene.quiet();
  await warm(scene, healthy, perSecond);
  return { baseline, beside: await p99(scene, healthy, perSecond) };
}

async function manyDead(scene: WebhookScene): Promise<Found<'dying' | 'dead'>> {
  const { dying: mortal, dyingPerSecond, healthy: count, each, perSecond } = MANY_DEAD;
  const healthy = await scene.subscribe('ok', count);
  const doomed = await scene.subscribe('dying', mortal);
  // All of them have answered before.
  const before = await scene.posts();
  await scene.flood([...healthy, ...doomed], count + mortal);
  await scene.posted(before, count + mortal);
  const besideTraffic = async (onset: () => Promise<unknown>): Promise<Latency> => {
    await warm(scene, healthy, perSecond);
    const traffic = scene.publish(doomed, dyingPerSecond, SECONDS);
    await onset();
    const latency = await p99(scene, healthy, perSecond);
    await traffic;
    return latency;
  };
  const baseline = await besideTraffic(async () => undefined);
  const dying = await besideTraffic(() => scene.receivers.ask('die'));
  await scene.flood(doomed, mortal * each);
  await scene.quiet();
  await warm(scene, healthy, perSecond);
  return { baseline, dying, dead: await p99(scene, healthy, perSecond) };
}

/** Connections are open, code is warm. */
async function warm(scene: WebhookScene, subscribers: Subscriber[], perSecond: number): Promise<void> {
  await scene.latencies(subscribers, perSecond, 3);
}

async function p99(scene: WebhookScene, subscribers: Subscriber[], perSecond: number): Promise<Latency> {
  const times = await scene.latencies(subscribers, perSecond, SECONDS);
  return {
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
    lost: perSecond * SECONDS - times.length,
  };
}

interface Comparison {
  baseline: Figures;
  beside: Figures;
  /** Delay of the slowest in a hundred, round by round. */
  laterMs: Measured;
  lost: number;
  holds: boolean;
}

type Figures = Record<'p50Ms' | 'p99Ms', Measured>;

function compare<Trouble extends string>(
  found: Found<Trouble>[],
  trouble: Trouble,
  mostMs: number,
): Comparison {
  const pairs = found.map((one) => ({ baseline: one.baseline, beside: one[trouble] }));
  const of = (side: 'baseline' | 'beside', figure: keyof Figures): Measured =>
    measured(pairs.map((pair) => pair[side][figure]));
  const figures = (side: 'baseline' | 'beside'): Figures => ({
    p50Ms: of(side, 'p50Ms'),
    p99Ms: of(side, 'p99Ms'),
  });
  const laterMs = measured(pairs.map(({ baseline, beside }) => round3(beside.p99Ms - baseline.p99Ms)));
  const lost = pairs.reduce((sum, { baseline, beside }) => sum + baseline.lost + beside.lost, 0);
  const [baseline, beside] = [figures('baseline'), figures('beside')];
  return { baseline, beside, laterMs, lost, holds: laterMs.median <= mostMs && lost === 0 };
}
