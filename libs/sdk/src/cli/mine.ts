import { writeFileSync } from 'node:fs';
import type { ConversationView, MessageView } from '../generated/schemas.js';
import type { SvcClient } from '../client.js';
import { type EvalConversation, type EvalStep, MOST_STEPS, SENTENCE_MAX } from './eval-file.js';
import { clientOf, required, UsageError, type Values } from './options.js';
import type { Screen } from './screen.js';

/** Conversations that are made into evals, the last ones first, and messages that are read of each. */
const CONVERSATIONS = 50;
const MESSAGES = 200;
/** Longest silence within a conversation. */
const SILENCE_MS = 24 * 3_600_000;
/** Longest text of a contact that the gateway takes. */
const TEXT_MAX = 4_000;
/** Shortest part of a name that is looked for: shorter ones are parts of other words. */
const NAME_MIN = 3;

// Patterns find most of what names a person; the rest a person has to find.
const PERSONAL: [pattern: RegExp, word: string][] = [
  [/\bhttps?:\/\/\S+/giu, 'ADDRESS'],
  [/[^\s@<>"]{1,64}@[\p{L}\p{N}.-]{1,253}\.\p{L}{2,}/gu, 'EMAIL'],
  [/\b[A-Z]{2}\p{Nd}{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b/gu, 'ACCOUNT'],
  [/\+?\p{Nd}(?:[\s().\/-]{0,2}\p{Nd}){4,}/gu, 'NUMBER'],
];

/** Runs `svc evals mine`: makes a file of evals out of the last conversations of a session, for a person to look through. */
export async function mine(values: Values, file: string, screen: Screen): Promise<boolean> {
  const client = clientOf(values);
  const sessionId = required(values, 'session', 'SVC_SESSION_ID');
  const conversations: EvalConversation[] = [];
  for await (const one of client.conversations.list({ sessionId })) {
    const steps = one.isGroup ? [] : await stepsOf(client, one);
    if (steps.length > 0) conversations.push({ name: `Conversation ${conversations.length + 1}`, steps });
    if (conversations.length >= CONVERSATIONS) break;
  }
  if (conversations.length > 0) write(file, { reviewed: false, conversations });
  screen.result({ conversations: conversations.length, file }, () =>
    conversations.length === 0
      ? 'There is no conversation in which a text was answered.'
      : `${conversations.length} written to ${file}. Look through it: take out what still names a person, and what was answered wrongly. Then set reviewed to true.`,
  );
  return conversations.length > 0;
}

function write(file: string, content: object): void {
  try {
    writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    throw new UsageError(`${file} cannot be written: ${(error as Error).message}`);
  }
}

async function stepsOf(client: SvcClient, { id }: ConversationView): Promise<EvalStep[]> {
  const messages: MessageView[] = [];
  for await (const message of client.conversations.listMessages(id, { limit: MESSAGES })) {
    const later = messages.at(-1);
    if (later && Date.parse(later.createdAt) - Date.parse(message.createdAt) > SILENCE_MS) break;
    messages.push(message);
    if (messages.length >= MESSAGES) break;
  }
  const replace = replacementOf(messages);
  const said = messages.reverse().flatMap((message) => {
    const text = textOf(message);
    return text === undefined ? [] : [{ isOwn: message.direction === 'OUTBOUND', text: replace(text) }];
  });
  return stepsIn(said).slice(-MOST_STEPS);
}

/** Puts what a contact wrote together with what was answered to it; what nobody answered is no step. */
function stepsIn(said: { isOwn: boolean; text: string }[]): EvalStep[] {
  const steps: EvalStep[] = [];
  let [asked, answered]: [string[], string[]] = [[], []];
  const end = (): void => {
    if (asked.length > 0 && answered.length > 0) steps.push(stepOf(asked.join('\n'), answered.join('\n')));
    [asked, answered] = [[], []];
  };
  for (const { isOwn, text } of said) {
    if (!isOwn && answered.length > 0) end();
    (isOwn ? answered : asked).push(text);
  }
  end();
  return steps;
}

function stepOf(asked: string, answered: string): EvalStep {
  const sentence = 'It says in substance: ';
  const answer = cut(answered, SENTENCE_MAX - sentence.length);
  return { contact: cut(asked, TEXT_MAX), expect: { judge: [`${sentence}${answer}`] } };
}

/** Reads the text of a message as it stands now; undefined where it has none, was deleted or not sent. */
function textOf({ body, edited, deletedAt, status }: MessageView): string | undefined {
  const now = edited?.body ?? body;
  if (deletedAt !== null || status === 'FAILED' || now.type !== 'text') return undefined;
  const { text } = now as { text: string };
  return text.trim() === '' ? undefined : text;
}

/** Makes what replaces personal data: kinds that are known by their look, and the names that the contact goes by. */
function replacementOf(messages: MessageView[]): (text: string) => string {
  const names = messages.flatMap(({ origin }) => (origin?.pushName ?? '').split(/[^\p{L}\p{M}]+/u));
  const long = [...new Set(names)].filter(({ length }) => length >= NAME_MIN);
  const all: [RegExp, string][] =
    long.length === 0
      ? PERSONAL
      : [...PERSONAL, [new RegExp(`(?<!\\p{L})(?:${long.join('|')})(?!\\p{L})`, 'giu'), 'NAME']];
  return (text) => all.reduce((left, [pattern, word]) => left.replace(pattern, word), text);
}

/** Cuts a text to a length; not within a sign. */
const cut = (text: string, length: number): string => text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
