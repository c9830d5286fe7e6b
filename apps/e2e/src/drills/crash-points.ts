import { seededRandom } from '@svc/testing';
import type { NamedRun } from '../named-run.js';
import { disperse, gather, untilReplaced } from '../load/crowd.js';
import { dieAt } from '../load/die-at.js';
import { isClean, Load, type LoadFigures } from '../load/load.js';

const SESSIONS = 6;
const MESSAGES = 48;
const PER_SECOND = 12;
/** The step is left behind at most so often before the kill: the first time is not like the later ones. */
const MOST_PASSES = 12;
const WORKER = 'session-worker';

/** Steps of the worker on a message's way (docs/architecture.md, where a message can be cut off). */
const OUT = Array.from({ length: 12 }, (_, n) => `out-${n + 1}`);
const IN = Array.from({ length: 6 }, (_, n) => `in-${n + 1}`);
/** Steps that only a message with a file passes. */
const WITH_FILE = ['out-13', 'out-14', 'in-7', 'in-8'];

/** The figures of one kill. */
interface StepFigures extends LoadFigures {
  /** The step was left behind so often before. */
  passes: number;
  recoveredMs: number | null;
}

/** The worker dies at each numbered step, by itself: no other moment is as bad. */
export const crashPoints: NamedRun = {
  summary:
    'the worker is killed at every numbered step of a message out and in, with and without a file, each under a small load',
  bound: 'every step reached; all sends accepted, nothing lost, nothing twice, every webhook arrived',
  async run({ seed, say }) {
    const crowd = await gather({ workers: 1, sessions: SESSIONS }, say);
    const { stack, actors, receiver, watch } = crowd;
    const random = seededRandom(seed);
    const rounds = new Map<string, () => Promise<StepFigures>>();
    for (const step of [...OUT, ...IN, ...WITH_FILE]) {
      const passes = Math.floor(random() * MOST_PASSES);
      const load = new Load(actors, receiver, {
        label: step,
        messages: MESSAGES,
        perSecond: PER_SECOND,
        withFiles: WITH_FILE.includes(step),
      });
      const { pid, died } = await dieAt(stack, { process: WORKER, app: WORKER, step, passes });
      const running = load.run();
      await died();
      const killedAt = Date.now();
      await untilReplaced(stack, WORKER, pid);
      await running;
      await watch.calm();
      const count = async (): Promise<StepFigures> => ({
        passes,
        recoveredMs: load.recoveredMs(killedAt),
        ...(await load.count()),
      });
      rounds.set(step, count);
      say(`  ${step.padEnd(8)} ${JSON.stringify(await count())}`);
    }
    // The figures are counted once more at the very end: a second copy may have come late.
    const steps: Record<string, StepFigures> = {};
    for (const [step, count] of rounds) steps[step] = await count();
    await disperse(crowd);
    return {
      figures: { seed, messages: MESSAGES, steps },
      holds: Object.values(steps).every((one) => isClean(one, MESSAGES)),
    };
  },
};
