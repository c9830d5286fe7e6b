import { setTimeout as delay } from 'node:timers/promises';
import { seededRandom } from '@svc/testing';
import type { NamedRun } from '../named-run.js';
import { disperse, gather } from '../load/crowd.js';
import { isIntact, Load } from '../load/load.js';

const MESSAGES = 6_000;
const PER_SECOND = 50;
const SESSIONS = 60;
const WORKERS = 3;
const KILL_EVERY_MS = 25_000;
const BACK_WITHIN_MS = 20_000;
/** Least part of the demanded rate: below it, the load was not the one of the bound. */
const LEAST_RATE_SHARE = 0.95;

/** Drill of workers that die at random under a load that goes on. */
export const killWorker: NamedRun = {
  summary: `kill -9 of a random one of ${WORKERS} workers every 25 s; ${SESSIONS} sessions, ${MESSAGES} texts each way at ${PER_SECOND}/s among acquaintances`,
  bound: `at ${PER_SECOND}/s each way: all sends accepted, 0 lost both ways, 0 doubles, every session back in < 20 s`,
  async run({ seed, say }) {
    const crowd = await gather({ workers: WORKERS, sessions: SESSIONS }, say);
    const { stack, actors, receiver, watch, workers } = crowd;
    const random = seededRandom(seed);
    const load = new Load(actors, receiver, { label: 'kill', messages: MESSAGES, perSecond: PER_SECOND });
    await load.acquaint();
    say('  every contact is known');
    const running = load.run();
    const victims: string[] = [];
    for (let n = 1; n * KILL_EVERY_MS < (MESSAGES / PER_SECOND) * 1000; n += 1) {
      await delay(KILL_EVERY_MS);
      const alive = new Set(stack.file.processes.map(({ name }) => name));
      const candidates = workers.filter((name) => alive.has(name));
      const victim = candidates[Math.floor(random() * candidates.length)] as string;
      stack.kill(victim);
      victims.push(victim);
      say(`  killed ${victim}; until now ${JSON.stringify(await watch.figures())}`);
    }
    await running;
    await watch.calm();
    const counted = await load.count();
    const watched = await watch.figures();
    await disperse(crowd);
    const isOnRate =
      Math.min(counted.sendsPerSecond, counted.writesPerSecond) >= LEAST_RATE_SHARE * PER_SECOND;
    return {
      figures: { seed, messages: MESSAGES, victims, ...counted, ...watched },
      holds:
        isOnRate &&
        isIntact(counted, MESSAGES) &&
        watched.sessionsMoved > 0 &&
        watched.longestAwayMs < BACK_WITHIN_MS,
    };
  },
};
