import { setTimeout as delay } from 'node:timers/promises';
import { quantile, round3 } from '../figures.js';
import { Inspector, memoryAtRest } from '../inspector.js';
import type { NamedRun } from '../named-runs.js';
import { DISPATCHER, type Subscriber, WebhookScene } from '../webhook-scene.js';

const MB = 1024 * 1024;
const SECONDS = 15;

const ONE_DEAD = { backlog: 100_000, perSecond: 100, mostMs: 10 };
const MANY_DEAD = { dying: 1_000, dyingPerSecond: 200, healthy: 200, each: 100, perSecond: 500, mostMs: 50 };
const BAD = ['drip', 'large', 'bomb', 'reset'];
const BAD_EACH = 200;
const WARM_UP = 2_000;
/** An attempt has ten seconds; what it is given beyond is the time of a timer on a full machine. */
const DEADLINE_MS = 10_500;
const MOST_GROWTH_MB = 30;

/** What healthy receivers notice of others that are dead or worse. */
export const isolation: NamedRun = {
  summary:
    'how much later healthy receivers hear while others are dead, dying together, dripping, or answering too much',
  bound:
    `p99 of ${ONE_DEAD.perSecond}/s within ${ONE_DEAD.mostMs} ms of the baseline beside one dead receiver with ${ONE_DEAD.backlog} due; ` +
    `p99 of ${MANY_DEAD.perSecond}/s to ${MANY_DEAD.healthy} within ${MANY_DEAD.mostMs} ms while ${MANY_DEAD.dying} who get ${MANY_DEAD.dyingPerSecond}/s die together, ` +
    `and with ${MANY_DEAD.each} due for each of them; ` +
    `attempts at bad receivers end within ${DEADLINE_MS} ms and leave memory within ${MOST_GROWTH_MB} MB; none lost`,
  async run({ say }) {
    const parts = {
      oneDead: await inScene(oneDead, say),
      manyDead: await inScene(manyDead, say),
      bad: await inScene(bad, say),
    };
    return { figures: parts, holds: Object.values(parts).every(({ holds }) => holds) };
  },
};

type Part = { holds: boolean } & Record<string, unknown>;
type Say = (line: string) => void;

async function inScene(part: (scene: WebhookScene, say: Say) => Promise<Part>, say: Say): Promise<Part> {
  const scene = await WebhookScene.start();
  try {
    const figures = await part(scene, say);
    say(`  ${part.name}: ${JSON.stringify(figures)}`);
    return figures;
  } finally {
    await scene.stop();
  }
}

async function oneDead(scene: WebhookScene, say: Say): Promise<Part> {
  const { backlog, perSecond, mostMs } = ONE_DEAD;
  const healthy = await scene.subscribe('ok', 1);
  await warm(scene, healthy, perSecond);
  const baseline = await p99(scene, healthy, perSecond);
  const dead = await scene.subscribe('dead', 1);
  const begun = performance.now();
  await scene.flood(dead, backlog);
  say(`  ${backlog} for a dead receiver published in ${Math.round((performance.now() - begun) / 1000)} s`);
  await scene.quiet();
  await warm(scene, healthy, perSecond);
  const beside = await p99(scene, healthy, perSecond);
  return compare(baseline, beside, mostMs);
}

async function manyDead(scene: WebhookScene, say: Say): Promise<Part> {
  const { dying, dyingPerSecond, healthy: count, each, perSecond, mostMs } = MANY_DEAD;
  const healthy = await scene.subscribe('ok', count);
  const doomed = await scene.subscribe('dying', dying);
  // All of them are known to answer.
  const before = await scene.posts();
  await scene.flood([...healthy, ...doomed], count + dying);
  await scene.posted(before, count + dying);
  const besideTraffic = async (onset: () => Promise<unknown>): Promise<Latency> => {
    await warm(scene, healthy, perSecond);
    const traffic = scene.publish(doomed, dyingPerSecond, SECONDS);
    await onset();
    const latency = await p99(scene, healthy, perSecond);
    await traffic;
    return latency;
  };
  const baseline = await besideTraffic(async () => undefined);
  const dies = await besideTraffic(() => scene.receivers.ask('die'));
  say(`  beside ${dying} that answer: ${JSON.stringify(baseline)}; that die: ${JSON.stringify(dies)}`);
  await scene.flood(doomed, dying * each);
  await scene.quiet();
  await warm(scene, healthy, perSecond);
  const dead = await p99(scene, healthy, perSecond);
  const parts = { dying: compare(baseline, dies, mostMs), dead: compare(baseline, dead, mostMs) };
  return { ...parts, holds: parts.dying.holds && parts.dead.holds };
}

async function bad(scene: WebhookScene): Promise<Part> {
  const inspector = await Inspector.of(scene.stack, DISPATCHER);
  try {
    // What a process grows by as it begins to work is not what bad receivers do to it.
    const postsBefore = await scene.posts();
    await scene.flood(await scene.subscribe('ok', BAD.length), WARM_UP);
    await scene.posted(postsBefore, WARM_UP);
    const before = await memoryAtRest(() => inspector.memory());
    for (const path of BAD) await scene.flood(await scene.subscribe(path, 1), BAD_EACH);
    await scene.quiet();
    await delay(2 * DEADLINE_MS); // the dripping ones: two rounds of attempts
    const longestMs = await scene.longestAttemptMs();
    const grownMb = round3(((await memoryAtRest(() => inspector.memory())).rss - before.rss) / MB);
    return {
      longestMs,
      grownMb,
      holds: longestMs <= DEADLINE_MS && longestMs > 0 && grownMb <= MOST_GROWTH_MB,
    };
  } finally {
    inspector.close();
  }
}

interface Latency {
  p50Ms: number;
  p99Ms: number;
  lost: number;
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

function compare(baseline: Latency, beside: Latency, mostMs: number): Part {
  const laterMs = round3(beside.p99Ms - baseline.p99Ms);
  return { baseline, beside, laterMs, holds: laterMs <= mostMs && baseline.lost + beside.lost === 0 };
}
