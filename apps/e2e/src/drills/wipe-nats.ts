import { readFileSync, renameSync, rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { NamedRun } from '../named-run.js';
import type { Stack } from '../stack/stack.js';
import { disperse, gather, untilReplaced } from '../load/crowd.js';
import { isIntact, Load } from '../load/load.js';

const SESSIONS = 12;
const PER_SECOND = 10;
const SECONDS = 40;
const WIPE_AFTER_MS = 15_000;

/** Drill of a broker that dies and comes back without anything it knew: streams, consumers, commands under way. */
export const wipeNats: NamedRun = {
  summary: 'kill -9 of nats-server under load and its storage deleted; it is started again, empty',
  bound: 'all sends accepted, everything accepted goes out, nothing twice, no inbound message lost',
  async run({ seed, say }) {
    const crowd = await gather({ workers: 2, sessions: SESSIONS }, say);
    const { stack, actors, receiver, watch } = crowd;
    const messages = PER_SECOND * SECONDS;
    const load = new Load(actors, receiver, { label: 'nats', messages, perSecond: PER_SECOND });
    const running = load.run();
    await delay(WIPE_AFTER_MS);
    const wipedAt = Date.now();
    const pid = stack.pidOf('nats-server');
    wipe(stack, pid);
    await untilReplaced(stack, 'nats-server', pid);
    say(`  nats-server runs again, empty, after ${Date.now() - wipedAt} ms`);
    await running;
    await watch.calm();
    const counted = await load.count();
    const recoveredMs = load.recoveredMs(wipedAt);
    await disperse(crowd);
    return {
      figures: { seed, messages, recoveredMs, ...counted, ...(await watch.figures()) },
      holds: isIntact(counted, messages) && recoveredMs !== null,
    };
  },
};

/** Wipes the store before the launcher starts the broker again, which it does after 0.2 s. */
function wipe(stack: Stack, pid: number): void {
  const argv = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  const store = argv[argv.indexOf('-sd') + 1];
  if (!store?.startsWith(stack.dataDir)) throw new Error(`Not the storage of this stack: ${store}`);
  stack.kill('nats-server');
  // The store is moved without a wait: the last writes of the dying broker go into what is gone.
  renameSync(store, `${store}-wiped`);
  rmSync(`${store}-wiped`, { recursive: true, force: true, maxRetries: 10 });
}
