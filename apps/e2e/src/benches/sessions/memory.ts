import { setTimeout as delay } from 'node:timers/promises';
import { waitFor, WebhookReceiver } from '@svc/testing';
import { type Actor, createTenant, inventPhone, linkActors } from '../../stack/actor.js';
import { devicesOf } from '../../stack/devices.js';
import { Load } from '../../load/load.js';
import { round3 } from '../../figures.js';
import { Inspector, type Memory, memoryWhenIdle } from '../../stack/inspector.js';
import type { Benchmark, RunOptions } from '../../named-run.js';
import { Stack } from '../../stack/stack.js';
import { BareBaileys } from '../bare-baileys.js';
import { compareSides } from '../sides.js';

const FEW = 30;
const SESSIONS = 300;
/** Number of steps in which the other numbers are linked; each is a measurement. */
const STEPS = 3;
const MOST_RATIO = 1.5;
const PER_SECOND = 10;
const SAMPLES = 20;
/** The first part fills what may be filled: every contact is new once, and the library keeps what it sent for five minutes. */
const WARM_UP = 0.5;
const MOST_MB_A_MINUTE = 1;
const MB = 1024 * 1024;
const QUIET_LIMIT_MS = 180_000;

/** Measures what an idle session costs, and whether it costs more the longer it works. */
export const memory: Benchmark = {
  summary: `memory per idle session of one worker against bare Baileys, and over --minutes (10) of traffic`,
  bound:
    `ratio <= ${MOST_RATIO}, of the RSS each of ${SESSIONS} idle sessions adds; ` +
    `<= ${MOST_MB_A_MINUTE} MB a minute at ${PER_SECOND}/s each way; garbage collected before each look`,
  judged: { ratio: 'lower', heapRatio: 'lower', rssMbAMinute: 'lower', lost: 'lower' },
  async run({ say, minutes }) {
    const stack = await Stack.start();
    const receiver = await WebhookReceiver.start();
    const bare = await BareBaileys.start(stack, ['--expose-gc']);
    const inspector = await Inspector.of(stack, 'session-worker');
    try {
      const tenant = await createTenant(stack, '--plan', 'ENTERPRISE', '--internal');
      const actors: Actor[] = [];
      const linkBare = (count: number): Promise<unknown> =>
        bare.run('link', Array.from({ length: count }, inventPhone));
      const linkOurs = async (count: number): Promise<unknown> =>
        actors.push(...(await linkActors(stack, tenant, count, (actor) => actor.promote())));
      const sides = {
        bare: growingSide(stack, linkBare, () => bare.memory()),
        ours: growingSide(stack, linkOurs, () => inspector.memory()),
      };
      const { bare: reference, ours, ratio } = await compareSides(sides, STEPS, say);
      bare.stop();
      for (const actor of actors) await actor.listen(receiver);
      const load = new Load(actors, receiver, {
        label: 'memory',
        messages: Math.round(PER_SECOND * 60 * minutes),
        perSecond: PER_SECOND,
      });
      const traffic = await underTraffic(load, inspector, { minutes, say });
      const mbASession = { bare: reference, ours };
      return {
        figures: { mbASession, ratio: ratio.rss, heapRatio: ratio.heapUsed, minutes, ...traffic },
        holds: ratio.rss <= MOST_RATIO && traffic.rssMbAMinute <= MOST_MB_A_MINUTE && traffic.lost === 0,
      };
    } finally {
      inspector.close();
      bare.stop();
      await receiver.stop();
      await stack.stop();
    }
  },
};

/** Makes a side whose round links more numbers and returns what each has added, in MB; the first one only begins. */
function growingSide(
  stack: Stack,
  link: (count: number) => Promise<unknown>,
  look: () => Promise<Memory>,
): () => Promise<Memory> {
  let before: Memory | undefined;
  return async () => {
    const count = before ? (SESSIONS - FEW) / STEPS : FEW;
    await link(count);
    await waitFor('the platform to have nothing more to say', () => isQuiet(stack), QUIET_LIMIT_MS);
    const now = await memoryWhenIdle(look);
    const each = (figure: keyof Memory): number =>
      round3((now[figure] - (before ?? now)[figure]) / count / MB);
    const added = { rss: each('rss'), heapUsed: each('heapUsed') };
    before = now;
    return added;
  };
}

async function isQuiet(stack: Stack): Promise<boolean> {
  await delay(500); // a look at so many is work for the platform
  const devices = [...(await devicesOf(stack)).values()].flat();
  return devices.every(({ queued, online }) => queued === 0 && online);
}

interface Traffic {
  rssMbAMinute: number;
  heapMbAMinute: number;
  rssMb: { first: number; last: number };
  sendsPerSecond: number;
  writesPerSecond: number;
  lost: number;
}

async function underTraffic(
  load: Load,
  inspector: Inspector,
  { minutes, say }: Pick<RunOptions, 'minutes' | 'say'>,
): Promise<Traffic> {
  const running = load.run();
  const samples: (Memory & { minute: number })[] = [];
  const startedAt = performance.now();
  for (let n = 1; n <= SAMPLES; n += 1) {
    await delay(Math.max(0, startedAt + (n * minutes * 60_000) / SAMPLES - performance.now()));
    const now = { minute: (performance.now() - startedAt) / 60_000, ...(await inspector.memory()) };
    samples.push(now);
    say(
      `  minute ${now.minute.toFixed(1)}: ${(now.rss / MB).toFixed(1)} MB, ${(now.heapUsed / MB).toFixed(1)} of heap`,
    );
  }
  await running;
  const { sendsPerSecond, writesPerSecond, lostIn, lostOut } = await load.count();
  const judged = samples.slice(Math.floor(SAMPLES * WARM_UP));
  const mb = (sample?: Memory): number => round3((sample?.rss ?? 0) / MB);
  return {
    rssMbAMinute: slope(judged.map(({ minute, rss }) => [minute, rss / MB])),
    heapMbAMinute: slope(judged.map(({ minute, heapUsed }) => [minute, heapUsed / MB])),
    rssMb: { first: mb(judged[0]), last: mb(judged.at(-1)) },
    sendsPerSecond,
    writesPerSecond,
    lost: lostIn + lostOut,
  };
}

/** Computes the slope of the line that lies nearest to the points. */
function slope(points: [x: number, y: number][]): number {
  const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x0, y0] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
  const rise = points.reduce((sum, [x, y]) => sum + (x - x0) * (y - y0), 0);
  return round3(rise / points.reduce((sum, [x]) => sum + (x - x0) ** 2, 0));
}
