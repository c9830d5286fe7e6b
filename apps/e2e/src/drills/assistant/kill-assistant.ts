import { setTimeout as delay } from 'node:timers/promises';
import { seededRandom, waitFor } from '@svc/testing';
import type { NamedRun } from '../../named-run.js';
import { type Actor, linkActors, createTenant } from '../../stack/actor.js';
import { Stack } from '../../stack/stack.js';
import { compareCalls, isSettled } from './call-books.js';
import { Questions, TWO_PARTS } from './questions.js';
import { MODEL_KEY, setRules, switchOn } from '../../stack/answering-numbers.js';

const SESSIONS = 5;
const CONVERSATIONS = 500;
const PER_SECOND = 5;
const KILL_EVERY_MS = 5_000;
/** Processes that die beside the assistant, in turn; NATS once. */
const OTHERS = ['api-gateway', 'limits', 'session-worker'];
const ANSWER_LIMIT_MS = 240_000;
/** Answer that takes two seconds to come, so that many are under way at each kill. */
const RULE = { text: TWO_PARTS, delayMs: 500, pieceMs: 250 };
const SETTINGS = { mode: 'auto', debounceMs: 500, splitAnswers: true, typing: false };

/** Drill of turns whose processes die: each question is answered once, and what it cost is known. */
export const killAssistant: NamedRun = {
  summary: `kill -9 of the assistant every ${(2 * KILL_EVERY_MS) / 1000} s, of gateway, limits and worker between, of nats-server once; ${CONVERSATIONS} contacts ask`,
  bound:
    'each contact has both parts of one answer, in order, once; the ledger has the tokens of every answer that was used or written; calls of the day are those that were answered or lost',
  async run({ seed, say }) {
    const stack = await Stack.start();
    const tenant = await createTenant(stack, '--plan', 'ENTERPRISE');
    const actors = await linkActors(stack, tenant, SESSIONS, (actor) => switchOn(actor, SETTINGS));
    await setRules(stack, [RULE]);
    say(`  ${SESSIONS} numbers are linked, and their assistants are on`);
    const questions = new Questions(actors, CONVERSATIONS);
    const asking = questions.ask(PER_SECOND);
    const victims = await killInTurn(stack, asking, seededRandom(seed));
    await asking;
    say(`  all have asked; killed ${victims.length} times`);
    await waitFor('all answers', async () => (await questions.unanswered()) === 0, ANSWER_LIMIT_MS).catch(
      () => undefined,
    );
    const books = () => compareCalls(actors[0] as Actor, MODEL_KEY);
    await waitFor('the calls to be settled', async () => isSettled(await books()), ANSWER_LIMIT_MS).catch(
      () => undefined,
    );
    // A second copy may come late: they are counted at the very end.
    const answers = await questions.count();
    const calls = await books();
    return {
      figures: { seed, kills: victims.length, ...answers, ...calls },
      holds: isSettled(calls) && answers.missing + answers.twice + answers.outOfOrder + answers.others === 0,
    };
  },
};

/** Kills the assistant, another one, the assistant again, until all have asked. @returns whom it killed */
async function killInTurn(stack: Stack, asking: Promise<void>, random: () => number): Promise<string[]> {
  const victims: string[] = [];
  let isAsking = true;
  void asking.finally(() => (isAsking = false));
  while (isAsking) {
    await delay(KILL_EVERY_MS * (0.8 + 0.4 * random()));
    const running = new Set(stack.file.processes.map(({ name }) => name));
    const round = victims.length;
    const other = round === 9 ? 'nats-server' : (OTHERS[((round - 1) / 2) % OTHERS.length] as string);
    const victim = round % 2 === 0 ? 'assistant' : other;
    if (!running.has(victim)) continue; // it is coming up from the last time
    stack.kill(victim);
    victims.push(victim);
  }
  return victims;
}
