import { setTimeout as delay } from 'node:timers/promises';
import type { NamedRun } from '../named-run.js';
import { disperse, gather, untilReplaced } from '../load/crowd.js';
import { sessionGaps } from '../load/webhook-facts.js';
import { isClean, Load } from '../load/load.js';

const WORKERS = 3;
const SESSIONS = 30;
const PER_SECOND = 15;
const SECONDS = 100;
const LONGEST_GAP_MS = 3_000;

/** Drill of a deployment: every worker is replaced, one after the other. */
export const rollingDeploy: NamedRun = {
  summary: `SIGTERM each of ${WORKERS} workers in turn under load; the launcher starts it again`,
  bound:
    '0 lost, 0 doubles, every webhook arrived, longest gap of any session < 3 s (from session.disconnected to session.connected)',
  async run({ seed, say }) {
    const crowd = await gather({ workers: WORKERS, sessions: SESSIONS }, say);
    const { stack, actors, receiver, watch, workers } = crowd;
    const messages = PER_SECOND * SECONDS;
    const load = new Load(actors, receiver, { label: 'deploy', messages, perSecond: PER_SECOND });
    const running = load.run();
    for (const worker of workers) {
      await delay(5_000);
      const pid = stack.pidOf(worker);
      const startedAt = performance.now();
      process.kill(pid, 'SIGTERM');
      await untilReplaced(stack, worker, pid);
      say(`  ${worker} replaced after ${Math.round(performance.now() - startedAt)} ms`);
      await watch.calm();
      say(`  the sessions rest again; ${JSON.stringify(await watch.figures())}`);
    }
    await running;
    const counted = await load.count();
    const { longestMs, gaps, stillAway } = sessionGaps(receiver.bodies());
    const watched = await watch.figures();
    await disperse(crowd);
    return {
      figures: { seed, messages, longestGapMs: longestMs, gaps, ...counted, ...watched, stillAway },
      holds: isClean(counted, messages) && gaps > 0 && stillAway === 0 && longestMs < LONGEST_GAP_MS,
    };
  },
};
