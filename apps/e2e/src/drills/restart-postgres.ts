import { setTimeout as delay } from 'node:timers/promises';
import type { NamedRun } from '../named-run.js';
import type { Stack } from '../stack/stack.js';
import { disperse, gather, untilReplaced } from '../load/crowd.js';
import { isClean, Load } from '../load/load.js';
import { countUnits } from '../load/units.js';

const SESSIONS = 12;
const PER_SECOND = 10;
const SECONDS = 40;
const KILL_AFTER_MS = 15_000;

/** Drill of a database that dies under all services and comes back. */
export const restartPostgres: NamedRun = {
  summary: 'kill -9 of PostgreSQL under load with 2 workers; it is started again',
  bound:
    'no service restarts, all sends accepted, nothing lost, nothing twice, every webhook arrived, every message counted',
  async run({ seed, say }) {
    const crowd = await gather({ workers: 2, sessions: SESSIONS }, say);
    const { stack, actors, receiver, watch } = crowd;
    const messages = PER_SECOND * SECONDS;
    const load = new Load(actors, receiver, { label: 'postgres', messages, perSecond: PER_SECOND });
    const before = pidsOf(stack);
    const postgres = stack.pidOf('postgres');
    const running = load.run();
    await delay(KILL_AFTER_MS);
    const killedAt = Date.now();
    stack.kill('postgres');
    await untilReplaced(stack, 'postgres', postgres);
    const downMs = Date.now() - killedAt;
    say(`  PostgreSQL runs again after ${downMs} ms`);
    await running;
    await watch.calm();
    const after = pidsOf(stack);
    const restarted = Object.keys(before).filter((name) => before[name] !== after[name]);
    const counted = await load.count();
    // A reservation does not wait for the disk: the message that lasts must make it last (docs/adr/0026).
    const { uncounted } = await countUnits(stack.file.postgres, new Set());
    await disperse(crowd);
    return {
      figures: {
        seed,
        messages,
        restarted,
        downMs,
        recoveredMs: load.recoveredMs(killedAt),
        ...counted,
        uncounted,
        ...(await watch.figures()),
      },
      holds: isClean(counted, messages) && restarted.length === 0 && uncounted === 0,
    };
  },
};

/** Reads the process ids of everything but the database. */
function pidsOf(stack: Stack): Record<string, number> {
  const others = stack.file.processes.filter(({ name }) => name !== 'postgres');
  return Object.fromEntries(others.map(({ name, pid }) => [name, pid]));
}
