import { setTimeout as delay } from 'node:timers/promises';
import { seededRandom } from '@svc/testing';
import type { NamedRun, RunOptions } from '../named-runs.js';
import { DISPATCHER, WebhookScene } from '../webhook-scene.js';
import { untilReplaced } from './crowd.js';
import { dieAt } from './die-at.js';
import { Stream } from './webhook-stream.js';

const TENANTS = 20;
const PER_SECOND = 500;
const KILLS = 20;
const STEPS = Array.from({ length: 7 }, (_, n) => `hook-${n + 1}`);
/** A step is left behind at most so often before the kill. */
const MOST_PASSES = 40;
/** Between the return of the process and the next kill. */
const LEAST_PAUSE_MS = 500;
const MORE_PAUSE_MS = 3_000;
const FROZEN_MS = 40_000;
const MOST_ATTEMPTS = 5;
/** Eight at once for each endpoint, and those that have ended and are not yet recorded. */
const MOST_IN_FLIGHT = TENANTS * 8 + 256;
/** Half of the receivers fail each message once: a failed attempt is soon followed by the next. */
const RETRY_DELAYS_MS = '0,1000,1000,1000,1000';

/** The dispatcher dies again and again while events come in; what its receivers get is counted there. */
export const killDispatcher: NamedRun = {
  summary: `kill -9 of the dispatcher at ${PER_SECOND} events a second: ${KILLS} times at random and at each numbered step; frozen for ${FROZEN_MS / 1000} s; NATS and PostgreSQL killed`,
  bound: `0 lost; repeats <= ${MOST_IN_FLIGHT} a kill, each under the same id; never more than ${MOST_ATTEMPTS} recorded attempts`,
  async run({ seed, say }) {
    const scene = await WebhookScene.start({ WEBHOOK_RETRY_DELAYS_MS: RETRY_DELAYS_MS });
    try {
      const half = TENANTS / 2;
      const subscribers = [...(await scene.subscribe('ok', half)), ...(await scene.subscribe('flaky', half))];
      const stream = new Stream(scene, subscribers, PER_SECOND);
      const running = stream.run();
      const kills = await disturb(scene, seed, say);
      stream.end();
      await running;
      say(`  ${stream.published} events published; waiting for the rest`);
      const figures = { seed, kills, ...(await stream.count()) };
      const { lost, otherIds, repeats, mostAttempts, published } = figures;
      const isBounded = repeats <= kills * MOST_IN_FLIGHT && mostAttempts <= MOST_ATTEMPTS;
      return { figures, holds: lost + otherIds === 0 && isBounded && published > 0 };
    } finally {
      await scene.stop();
    }
  },
};

/** @returns how many times the dispatcher lost what it had in flight. */
async function disturb(scene: WebhookScene, seed: number, say: RunOptions['say']): Promise<number> {
  const random = seededRandom(seed);
  const { stack } = scene;
  const pause = (): Promise<void> => delay(LEAST_PAUSE_MS + random() * MORE_PAUSE_MS);
  for (let n = 1; n <= KILLS; n += 1) {
    await pause();
    await killed(scene, DISPATCHER);
    say(`  killed ${n}`);
  }
  for (const step of STEPS) {
    const passes = Math.floor(random() * MOST_PASSES);
    const { pid, died } = await dieAt(stack, {
      ...{ process: DISPATCHER, app: DISPATCHER, step },
      passes: step === 'hook-7' ? 0 : passes,
    });
    // Partitions are taken over when the lease has been lost meanwhile.
    if (step === 'hook-7') await frozen(pid);
    await died();
    await untilReplaced(stack, DISPATCHER, pid);
    say(`  killed at ${step}, left behind ${passes} times before`);
    await pause();
  }
  await frozen(scene.dispatcherPid);
  say(`  frozen for ${FROZEN_MS / 1000} s`);
  for (const server of ['nats-server', 'postgres']) {
    await pause();
    await killed(scene, server);
    say(`  ${server} killed`);
  }
  return KILLS + STEPS.length + 3;
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
