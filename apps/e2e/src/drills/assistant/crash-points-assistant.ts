import { seededRandom, waitFor, WebhookReceiver } from '@svc/testing';
import { untilReplaced } from '../../load/crowd.js';
import { dieAt } from '../../load/die-at.js';
import type { NamedRun } from '../../named-run.js';
import { type Actor, createTenant, expectStatus, linkActors } from '../../stack/actor.js';
import { Stack } from '../../stack/stack.js';
import { type CallFigures, compareCalls, isSettled } from './call-books.js';
import { type AnswerFigures, Questions, TWO_PARTS } from './questions.js';
import { MODEL_KEY, setRules, switchOn } from '../../stack/answering-numbers.js';

const ASSISTANT = 'assistant';
const SESSIONS = 3;
/** Questions of one round; every second one makes the model call a tool first. */
const QUESTIONS = 16;
const PER_SECOND = 6;
/** The step is left behind at most so often before the kill: the first time is not like the later ones. */
const MOST_PASSES = 12;
const ANSWER_LIMIT_MS = 120_000;
/** Calls that a kill may cut off between the note that the model is asked and the question on the wire: the one at a-4, and one beside it. */
const UNREACHED_PER_KILL = 2;

/** Steps of an answer (docs/architecture.md, where a message can be cut off). */
const STEPS = Array.from({ length: 7 }, (_, n) => `a-${n + 1}`);
const TOOL = 'look_up_order';
/** An answer takes a second to come, so that some are under way at each kill. */
const SLOW = { delayMs: 200, pieceMs: 80 };
const RULES = [
  { when: { text: 'order' }, toolCalls: [{ name: TOOL, arguments: '{"number":"7"}' }], delayMs: 100 },
  { text: TWO_PARTS, ...SLOW },
];
const SETTINGS = { debounceMs: 400, splitAnswers: true, typing: false, tools: [TOOL] };

/** Figures of the calls, and how they come about. */
interface Books extends CallFigures {
  /** Calls that the model has not answered to the end. */
  cutOff: number;
  /** Answers that the model has given to the end and nobody has written. */
  unwritten: number;
  /** Calls that are lost and that never reached the model. */
  unreached: number;
}

/** Figures of the tool, as it was called. */
interface ToolFigures {
  /** Number of ids under which it was called. */
  ids: number;
  /** Calls under an id that had come before: of those whose answer was not written. */
  repeats: number;
}

/** The assistant dies at each numbered step, by itself: no other moment is as bad. */
export const crashPointsAssistant: NamedRun = {
  summary:
    'the assistant is killed at every numbered step of an answer, at its first pass and at a later one, while contacts ask; half of the answers need a tool',
  bound:
    'every step reached; each contact has both parts of one answer, in order, once; a tool gets one id for each question; lost calls are those that the model was cut off in, whose answers nobody wrote, and two a kill that never reached it',
  async run({ seed, say }) {
    const stack = await Stack.start();
    const tool = await WebhookReceiver.start();
    const actors = await gatherAsked(stack, tool);
    const random = seededRandom(seed);
    const rounds: { name: string; questions: Questions }[] = [];
    for (const step of STEPS)
      for (const passes of [0, 1 + Math.floor(random() * (MOST_PASSES - 1))]) {
        const name = `${step} after ${passes}`;
        const questions = await killAt(stack, actors, step, passes, rounds.length);
        rounds.push({ name, questions });
        say(`  ${name.padEnd(14)} ${JSON.stringify(await questions.count())}`);
      }
    const books = (): Promise<Books> => booksOf(actors[0] as Actor);
    await waitFor('the calls to be settled', async () => isSettled(await books()), ANSWER_LIMIT_MS).catch(
      () => undefined,
    );
    // A second copy may come late: they are counted at the very end.
    const steps: Record<string, AnswerFigures> = {};
    for (const { name, questions } of rounds) steps[name] = await questions.count();
    const calls = await books();
    const tools = countTool(tool);
    await tool.stop();
    return {
      figures: { seed, kills: rounds.length, steps, tools, ...calls },
      holds: isRight(Object.values(steps), calls, tools),
    };
  },
};

/** Links numbers whose assistants are on and may call the tool. */
async function gatherAsked(stack: Stack, tool: WebhookReceiver): Promise<Actor[]> {
  tool.answerWith({ status: 200, body: Buffer.from('It is on its way.') });
  const tenant = await createTenant(stack, '--plan', 'ENTERPRISE');
  const set = async (actor: Actor): Promise<void> => {
    const body = {
      ...{ description: 'Looks up an order.', url: `${tool.origin}/tool`, readOnly: true, timeoutMs: 2_000 },
      parameters: { type: 'object', properties: { number: { type: 'string' } } },
    };
    expectStatus(await actor.api('PUT', `/v1/assistant/tools/${TOOL}`, body), 200);
    await switchOn(actor, SETTINGS);
  };
  const actors = await linkActors(stack, tenant, SESSIONS, set);
  await setRules(stack, RULES);
  return actors;
}

/** Has contacts ask, and the assistant die at a step; returns when all have their answer, or it is too late for that. */
async function killAt(
  stack: Stack,
  actors: Actor[],
  step: string,
  passes: number,
  round: number,
): Promise<Questions> {
  const textOf = (n: number): string => `${n % 2 === 0 ? 'question' : 'order'} ${round * QUESTIONS + n}`;
  const questions = new Questions(actors, QUESTIONS, textOf);
  const { pid, died } = await dieAt(stack, { process: ASSISTANT, app: ASSISTANT, step, passes });
  const asking = questions.ask(PER_SECOND);
  await died();
  await untilReplaced(stack, ASSISTANT, pid);
  await asking;
  await waitFor('all answers', async () => (await questions.unanswered()) === 0, ANSWER_LIMIT_MS).catch(
    () => undefined,
  );
  return questions;
}

async function booksOf(actor: Actor): Promise<Books> {
  const calls = await compareCalls(actor, MODEL_KEY);
  const { answered, lost, given } = calls;
  return {
    ...calls,
    cutOff: given.begun - given.complete,
    unwritten: given.complete - answered,
    unreached: lost - (given.begun - answered),
  };
}

function countTool({ received }: WebhookReceiver): ToolFigures {
  const ids = new Set(received.map(({ headers }) => headers['idempotency-key']));
  return { ids: ids.size, repeats: received.length - ids.size };
}

function isRight(steps: AnswerFigures[], calls: Books, { ids }: ToolFigures): boolean {
  const asked = steps.length * QUESTIONS;
  return (
    isSettled(calls) &&
    calls.unreached <= UNREACHED_PER_KILL * steps.length &&
    calls.outcomes['ANSWERED'] === asked &&
    ids === asked / 2 &&
    steps.every(({ missing, twice, outOfOrder, others }) => missing + twice + outOfOrder + others === 0)
  );
}
