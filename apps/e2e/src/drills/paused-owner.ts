import { setTimeout as delay } from 'node:timers/promises';
import type { NamedRun } from '../named-run.js';
import { disperse, gather } from '../load/crowd.js';
import { isIntact, Load } from '../load/load.js';

const SESSIONS = 12;
const PER_SECOND = 8;
const SECONDS = 100;
const PAUSE_AFTER_MS = 10_000;
const PAUSE_MS = 60_000;
/** Most logins of a session: one at the other worker, and one at the paused one when it has its share again. */
const MOST_LOGINS = 2;

/** Drill of an owner that stops for a minute, as a process does whose machine is suspended, and wakes up believing it owns. */
export const pausedOwner: NamedRun = {
  summary:
    'SIGSTOP one of 2 workers for 60 s under load, then SIGCONT: it must not act on what is not its own',
  bound: `all sends accepted, nothing lost, no double send, nobody logs in more than ${MOST_LOGINS} times`,
  async run({ seed, say }) {
    const crowd = await gather({ workers: 2, sessions: SESSIONS }, say);
    const { stack, actors, receiver, watch } = crowd;
    const messages = PER_SECOND * SECONDS;
    const load = new Load(actors, receiver, { label: 'paused', messages, perSecond: PER_SECOND });
    const running = load.run();
    const pid = stack.pidOf('session-worker');
    await delay(PAUSE_AFTER_MS);
    process.kill(pid, 'SIGSTOP');
    say('  paused');
    try {
      await delay(PAUSE_MS);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    const atWake = await watch.figures();
    say(`  woken; ${JSON.stringify(atWake)}`);
    await running;
    await watch.calm();
    const figures = { ...(await load.count()), ...(await watch.figures()) };
    await disperse(crowd);
    return {
      figures: {
        seed,
        messages,
        ...figures,
        loginsWhilePaused: atWake.logins,
        sameProcess: stack.pidOf('session-worker') === pid,
      },
      holds:
        isIntact(figures, messages) && atWake.sessionsMoved > 0 && figures.mostLoginsOfOne <= MOST_LOGINS,
    };
  },
};
