import { seededRandom, waitFor } from '@svc/testing';
import { type Crowd, disperse, gather } from '../../load/crowd.js';
import { isClean, Load, type LoadFigures } from '../../load/load.js';
import { SessionWatch } from '../../load/session-watch.js';
import type { NamedRun } from '../../named-run.js';
import { type Change, CHANGES } from './changes.js';
import { WorkerWords } from './worker-words.js';

const WORKERS = 2;
const SESSIONS = 12;
const PER_SECOND = 6;
const SECONDS = 45;
const MESSAGES = PER_SECOND * SECONDS;
const TOLD_WITHIN_MS = 60_000;
/** Longest wait for the end of a change, in ms: three logins that are not answered take some two minutes. */
const OVER_WITHIN_MS = 300_000;

/** The figures of one change. */
interface ChangeFigures extends LoadFigures {
  /** Time until a line of the log and a figure had it; null: that took too long. */
  toldMs: number | null;
  /** Number of sessions that connected anew. */
  harmed: number;
  stillAway: number;
  isOver: boolean;
}

/** Drill of a platform that changes overnight: nobody has heard of what it sends, or takes. */
export const newStanza: NamedRun = {
  summary: `${CHANGES.length} changes of the platform that nobody knows, invented from the seed, each while ${SESSIONS} sessions talk`,
  bound: `each is told in < ${TOLD_WITHIN_MS / 1_000} s by the log and the figures; none but the session that tries a version connects anew; 0 lost, 0 doubles`,
  async run({ seed, say }) {
    const crowd = await gather({ workers: WORKERS, sessions: SESSIONS }, say);
    const random = seededRandom(seed);
    const words = new WorkerWords(crowd.stack, crowd.workers);
    const changes: Record<string, ChangeFigures> = {};
    for (const change of inOrder(random)) {
      changes[change.name] = await play(change, crowd, words, random);
      say(`  ${change.name.padEnd(28)} ${JSON.stringify(changes[change.name])}`);
    }
    await disperse(crowd);
    const isWell = CHANGES.every((change) => holds(change, changes[change.name] as ChangeFigures));
    return { figures: { seed, messages: MESSAGES, changes }, holds: isWell };
  },
};

/** Puts the changes into an order of the seed: none may need another one before it. */
function inOrder(random: () => number): Change[] {
  return CHANGES.map((change) => ({ change, place: random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ change }) => change);
}

async function play(
  change: Change,
  { stack, actors, receiver }: Crowd,
  words: WorkerWords,
  random: () => number,
): Promise<ChangeFigures> {
  const watch = await SessionWatch.start(stack, actors);
  const load = new Load(actors, receiver, {
    label: change.name,
    messages: MESSAGES,
    perSecond: PER_SECOND,
  });
  const running = load.run();
  const toldMs = await words.toldMs(await change.begin(stack, actors, random), 2 * TOLD_WITHIN_MS);
  const isOver = await waitFor('the end of it', () => change.isOver(stack), OVER_WITHIN_MS).catch(
    () => false,
  );
  await running;
  await stack.platform('DELETE', '/versions');
  await watch.calm();
  const { sessionsMoved, stillAway } = await watch.figures();
  return { toldMs, harmed: sessionsMoved, stillAway, isOver, ...(await load.count()) };
}

function holds({ mostHarmed }: Change, figures: ChangeFigures): boolean {
  const { toldMs, harmed, stillAway, isOver } = figures;
  const isTold = toldMs !== null && toldMs < TOLD_WITHIN_MS;
  return isTold && isOver && harmed <= mostHarmed && stillAway === 0 && isClean(figures, MESSAGES);
}
