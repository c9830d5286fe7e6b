import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { round3 } from '../../figures.js';
import { Inspector, memoryWhenIdle } from '../../stack/inspector.js';
import { DISPATCHER, type WebhookScene } from '../../stack/webhook-scene.js';

const MB = 1024 * 1024;
/** Kinds of bad receivers; `drip` never comes to the end of its headers, `drip-body` not to that of its body. */
const KINDS = ['drip', 'drip-body', 'large', 'bomb', 'reset'];
const EACH = 200;
const WARM_UP = 2_000;
/** Bounds of the duration of an attempt, which has ten seconds; the time beyond is that of a timer on a full machine. */
const DEADLINE_MS = { least: 9_900, most: 10_500 };
const MOST_GROWTH_MB = 30;

export const BAD_BOUND =
  `attempts at bad receivers are written down: dripping ones as TIMEOUT after ${DEADLINE_MS.least} to ${DEADLINE_MS.most} ms, ` +
  `all ${EACH} of each other kind as 500 within ${DEADLINE_MS.most} ms; memory left within ${MOST_GROWTH_MB} MB`;

// The status decides, also where the remaining answer is a bomb or never comes.
const ATTEMPTS_SQL = `SELECT name, count(*)::int AS attempts, min(ms) AS "shortestMs", max(ms) AS "longestMs",
    count(*) FILTER (WHERE CASE name WHEN 'drip' THEN err_code = 'TIMEOUT' AND ms >= $2 ELSE status = 500 END AND ms <= $3)::int AS expected
  FROM webhooks.webhook_attempt JOIN webhooks.webhook_endpoint endpoint ON endpoint.id = endpoint_id
  WHERE name = ANY($1) GROUP BY name`;

/** Figures of the attempts at one kind of bad receiver. */
interface AttemptFigures {
  name: string;
  attempts: number;
  shortestMs: number;
  longestMs: number;
  /** Attempts with the result that they are to have. */
  expected: number;
}

/** Measures what receivers that drip, answer too much or break off do to the dispatcher. */
export async function bad(
  scene: WebhookScene,
): Promise<{ recorded: AttemptFigures[]; grownMb: number; peakMb: number; holds: boolean }> {
  const inspector = await Inspector.of(scene.stack, DISPATCHER);
  try {
    // The growth of a process at the begin of its work is not an effect of bad receivers.
    const postsBefore = await scene.posts();
    await scene.flood(await scene.subscribe('ok', KINDS.length), WARM_UP);
    await scene.posted(postsBefore, WARM_UP);
    const before = await memoryWhenIdle(() => inspector.memory());
    await forgetPeak(scene.dispatcherPid);
    for (const kind of KINDS) await scene.flood(await scene.subscribe(kind, 1), EACH);
    await scene.quiet();
    await delay(2 * DEADLINE_MS.most); // the dripping ones: two rounds of attempts
    const peakMb = round3(((await peak(scene.dispatcherPid)) - before.rss) / MB);
    const grownMb = round3(((await memoryWhenIdle(() => inspector.memory())).rss - before.rss) / MB);
    const limits = [KINDS, DEADLINE_MS.least, DEADLINE_MS.most];
    const recorded = (await scene.execute(ATTEMPTS_SQL, limits)) as unknown as AttemptFigures[];
    const areExpected = recorded.length === KINDS.length && recorded.every(isExpected);
    return { recorded, grownMb, peakMb, holds: areExpected && grownMb <= MOST_GROWTH_MB };
  } finally {
    inspector.close();
  }
}

function isExpected({ name, attempts, expected }: AttemptFigures): boolean {
  // There are two attempts under way while the receiver has not answered yet.
  const least = name === 'drip' ? 2 : EACH;
  return attempts >= least && expected === attempts;
}

/** Has the kernel look for the most memory anew. */
async function forgetPeak(pid: number): Promise<void> {
  await writeFile(`/proc/${pid}/clear_refs`, '5');
}

/** Reads the most memory that a process has had, in bytes. */
async function peak(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? NaN) * 1024;
}
