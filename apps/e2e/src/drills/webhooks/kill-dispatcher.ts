import { setTimeout as delay } from 'node:timers/promises';
import { seededRandom } from '@svc/testing';
import type { NamedRun, RunOptions } from '../../named-run.js';
import { DISPATCHER, WebhookScene } from '../../stack/webhook-scene.js';
import { untilReplaced } from '../../load/crowd.js';
import { dieAt } from '../../load/die-at.js';
import { type Ends, endsOf, repeatsPer } from './webhook-books.js';
import { Stream, type StreamFigures } from './webhook-stream.js';

const OK = 10;
const FLAKY = 10;
const SLOW = 8;
const BROKEN = 4;
const PER_SECOND = 500;
const LEAST_RATE = 0.95 * PER_SECOND;
const KILLS = 20;
const STEPS = Array.from({ length: 7 }, (_, n) => `hook-${n + 1}`);
/** A step is left behind at most so often before the kill. */
const MOST_PASSES = 40;
/** Least pause between the return of the process and the next kill, in ms. */
const LEAST_PAUSE_MS = 500;
const MORE_PAUSE_MS = 3_000;
const FROZEN_MS = 40_000;
/** Time of the thaw, in ms: attempts that began under the leases of before have ended by then. */
const THAW_MS = 1_000;
const MOST_ATTEMPTS = 5;
/** Most attempts in flight: eight for each endpoint, and those that have ended and are not yet recorded. */
const MOST_IN_FLIGHT = (OK + FLAKY + SLOW + BROKEN) * 8 + 384;
/**
 * Waits of the retries, in ms: flaky receivers fail each message once, broken ones always, and the next attempt is to come within the
 * drill.
 */
const RETRY_DELAYS_MS = '0,1000,1000,1000,1000';

/** Drill of a dispatcher that dies again and again while events come in; the posts to its receivers are counted there. */
export const killDispatcher: NamedRun = {
  summary: `kill -9 of the dispatcher at ${PER_SECOND} events a second: ${KILLS} times at random and at each numbered step; frozen for ${FROZEN_MS / 1000} s; PostgreSQL and NATS killed`,
  bound:
    `0 lost, 0 without an end, 0 delivered twice; repeats <= ${MOST_IN_FLIGHT} for each time the dispatcher was killed or frozen and 0 for the servers, each under the same id; ` +
    `never more than ${MOST_ATTEMPTS} recorded attempts, exactly ${MOST_ATTEMPTS} and one dead letter at receivers that always fail, no other dead letters; published at >= ${LEAST_RATE}/s until NATS was killed`,
  async run({ seed, say }) {
    const scene = await WebhookScene.start({ WEBHOOK_RETRY_DELAYS_MS: RETRY_DELAYS_MS });
    try {
      const often = [...(await scene.subscribe('ok', OK)), ...(await scene.subscribe('flaky', FLAKY))];
      const [slow, broken] = [await scene.subscribe('slow', SLOW), await scene.subscribe('broken', BROKEN)];
      const stream = new Stream(scene, { often, slow, broken }, PER_SECOND);
      const running = stream.run();
      const endedAt = await disturb(scene, seed, say);
      const kills = endedAt.length;
      endedAt.push(await away(scene, 'postgres', say));
      const rate = stream.rate;
      endedAt.push(await away(scene, 'nats-server', say));
      await delay(MORE_PAUSE_MS);
      stream.end();
      await running;
      say('  waiting for the rest');
      const counts = await stream.count();
      const repeats = await repeatsPer(scene, endedAt);
      const mostRepeats = Math.max(...repeats.slice(0, kills));
      const ofServers = Math.max(...repeats.slice(kills));
      const ends = await endsOf(scene);
      const figures = { seed, kills, rate, ...counts, ...ends, repeats, mostRepeats, ofServers };
      return { figures, holds: holds(figures) };
    } finally {
      await scene.stop();
    }
  },
};

type Figures = StreamFigures & Ends & Record<'rate' | 'mostRepeats' | 'ofServers', number>;

function holds(figures: Figures): boolean {
  const { lost, pending, otherIds, deliveredTwice, ofServers } = figures;
  const { toBroken, dead, deadAfterFive, mostAttempts, mostRepeats, rate } = figures;
  const none = [lost, pending, otherIds, deliveredTwice, ofServers];
  const isBounded = mostRepeats <= MOST_IN_FLIGHT && mostAttempts <= MOST_ATTEMPTS && rate >= LEAST_RATE;
  const areDead = toBroken > 0 && dead === toBroken && deadAfterFive === toBroken;
  return none.every((count) => count === 0) && isBounded && areDead;
}

/**
 * Disturbs the dispatcher.
 * @returns when each disturbance of the dispatcher was over, in ms since 1970.
 */
async function disturb(scene: WebhookScene, seed: number, say: RunOptions['say']): Promise<number[]> {
  const random = seededRandom(seed);
  const { stack } = scene;
  const endedAt: number[] = [];
  const pause = (): Promise<void> => delay(LEAST_PAUSE_MS + random() * MORE_PAUSE_MS);
  for (let n = 1; n <= KILLS; n += 1) {
    await pause();
    await killed(scene, DISPATCHER);
    endedAt.push(Date.now());
    say(`  killed ${n}`);
  }
  for (const step of STEPS) {
    const passes = Math.floor(random() * MOST_PASSES);
    const { pid, died } = await dieAt(stack, {
      ...{ process: DISPATCHER, app: DISPATCHER, step },
      passes: step === 'hook-7' ? 0 : passes,
    });
    // Another owner has the partitions when the lease has been lost meanwhile.
    if (step === 'hook-7') await frozen(pid);
    await died();
    await untilReplaced(stack, DISPATCHER, pid);
    endedAt.push(Date.now());
    say(`  killed at ${step}, left behind ${passes} times before`);
    await pause();
  }
  await frozen(scene.dispatcherPid);
  await delay(THAW_MS);
  endedAt.push(Date.now());
  say(`  frozen for ${FROZEN_MS / 1000} s`);
  return endedAt;
}

/**
 * Kills a server and waits until it is back.
 * @returns when the server was back, in ms since 1970.
 */
async function away(scene: WebhookScene, server: string, say: RunOptions['say']): Promise<number> {
  await delay(MORE_PAUSE_MS);
  await killed(scene, server);
  say(`  ${server} killed`);
  return Date.now();
}

async function killed({ stack }: WebhookScene, name: string): Promise<void> {
  const pid = stack.pidOf(name);
  process.kill(pid, 'SIGKILL');
  await untilReplaced(stack, name, pid);
}

async function frozen(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  await delay(FROZEN_MS);
  process.kill(pid, 'SIGCONT');
}
