import type { SvcClient } from '../client.js';
import type { PlayMessage } from '../generated/schemas.js';
import { type EvalConversation, type Expectation, readEvals } from './eval-file.js';
import { brokenRules } from './eval-rules.js';
import { mine } from './mine.js';
import { clientOf, required, UsageError, type Values } from './options.js';
import type { Screen } from './screen.js';

/** Longest text that the gateway takes. */
const TEXT_MAX = 4_000;
/** Conversations that are played at a time. */
const AT_A_TIME = 8;

/** Result of a conversation. */
interface Played {
  name: string;
  holds: boolean;
  tokens: number;
  /** Number of the step that broke a rule, from 1 on. */
  step?: number;
  broken: string[];
  /** Answer that broke it. */
  answer?: string[];
}

/** Place where conversations are played. */
interface Ground {
  client: SvcClient;
  sessionId: string;
  published: boolean;
}

/** Runs `svc evals run`, or `svc evals mine`. */
export async function evals(values: Values, positionals: string[], screen: Screen): Promise<boolean> {
  const [action, file, ...more] = positionals;
  const part = ACTIONS.get(action ?? '');
  if (!part || file === undefined || more.length > 0)
    throw new UsageError('It is called as: svc evals run FILE, or svc evals mine FILE');
  return part(values, file, screen);
}

/** Runs `svc evals run`: plays the conversations of a file in the playground of a session, and judges the answers. */
async function run(values: Values, file: string, screen: Screen): Promise<boolean> {
  const sessionId = required(values, 'session', 'SVC_SESSION_ID');
  const conversations = readEvals(file);
  const { published = false, report = false } = values;
  if (published && report)
    throw new UsageError('--report tells of the draft, and not of the version that holds.');
  const ground = { client: clientOf(values), sessionId, published };
  // A draft that changes while it is played is not the one that is told of.
  const revision = report ? (await ground.client.sessions.getAssistant(sessionId)).revision : 0;
  const begun = Date.now();
  const played = await playAll(ground, conversations, (one) => screen.result(one, () => wordsOf(one)));
  const failed = played.filter(({ holds }) => !holds).length;
  const tokens = played.reduce((sum, one) => sum + one.tokens, 0);
  const ms = Date.now() - begun;
  const summary = { conversations: played.length, failed, tokens, ms };
  screen.result(summary, () => {
    const end = failed === 0 ? 'All hold' : `${failed} ${failed === 1 ? 'does' : 'do'} not hold`;
    const count = `${played.length} conversation${played.length === 1 ? '' : 's'}`;
    return `${end}: ${count}, ${tokens} tokens, ${(ms / 1_000).toFixed(1)} s.`;
  });
  if (report) {
    const told = { revision, conversations: played.length, failed };
    await ground.client.sessions.reportAssistantEvals(sessionId, told);
    screen.result(told, () => `Told of the draft at revision ${revision}.`);
  }
  return failed === 0;
}

const ACTIONS = new Map([
  ['run', run],
  ['mine', mine],
]);

/** Plays some at a time, and tells of each when it is played. */
async function playAll(
  ground: Ground,
  conversations: EvalConversation[],
  tell: (played: Played) => void,
): Promise<Played[]> {
  const left = [...conversations];
  const played: Played[] = [];
  const worker = async (): Promise<void> => {
    for (let next = left.shift(); next; next = left.shift()) {
      const one = await play(ground, next);
      played.push(one);
      tell(one);
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_A_TIME }, worker));
  } finally {
    // The first one that fails ends the others, too.
    left.length = 0;
  }
  return played;
}

/** Plays a conversation up to the first answer that breaks a rule: what follows would be of another conversation. */
async function play(
  { client, sessionId, published }: Ground,
  { name, steps }: EvalConversation,
): Promise<Played> {
  const messages: PlayMessage[] = [];
  let tokens = 0;
  for (const [index, { contact, expect }] of steps.entries()) {
    messages.push({ from: 'contact', text: contact });
    const answer = await client.sessions.playAssistant(sessionId, { messages, published });
    tokens += answer.tokens;
    const text = answer.texts.join('\n\n');
    const judged = await judge({ client, sessionId, published }, messages, expect, text);
    tokens += judged.tokens;
    const broken = [...brokenRules(expect, answer), ...judged.broken];
    if (broken.length > 0)
      return { name, holds: false, tokens, step: index + 1, broken, answer: answer.texts };
    if (text !== '') messages.push({ from: 'business', text });
  }
  return { name, holds: true, tokens, broken: [] };
}

/** Has the model of the tenant judge an answer. One that nobody reads has nothing that could be true of it. */
async function judge(
  { client, sessionId }: Ground,
  asked: PlayMessage[],
  { judge: criteria = [] }: Expectation,
  text: string,
): Promise<{ broken: string[]; tokens: number }> {
  if (criteria.length === 0) return { broken: [], tokens: 0 };
  if (text === '') return { broken: ['there is no answer to judge'], tokens: 0 };
  const messages = [...asked, { from: 'business' as const, text: text.slice(0, TEXT_MAX) }];
  const { verdicts, tokens } = await client.sessions.judgeAssistant(sessionId, { messages, criteria });
  const broken = verdicts.flatMap(({ holds, reason }, index) => {
    if (holds) return [];
    const why = reason === null ? '' : `: ${reason}`;
    return [`${holds === null ? 'not judged' : 'not true'}, ${JSON.stringify(criteria[index])}${why}`];
  });
  return { broken, tokens };
}

function wordsOf({ name, holds, step, broken, answer = [] }: Played): string {
  if (holds) return `✓ ${name}`;
  const said = answer.length === 0 ? '(nothing)' : answer.join('\n\n');
  return [`✗ ${name}, step ${step}:`, ...broken.map((sentence) => `    ${sentence}`), indented(said)].join(
    '\n',
  );
}

const indented = (text: string): string => text.replace(/^/gm, '    │ ');
