import { readFileSync } from 'node:fs';
import { UsageError } from './options.js';

/** Rules for one answer; what is left out may be anything. */
export interface Expectation {
  /** Texts that the answer has, in whatever case. */
  contains?: string[];
  /** Texts that it does not have. */
  containsNone?: string[];
  /** Regular expression that it matches. */
  matches?: string;
  /** Outcome of the turn, as the list of turns has it. */
  outcome?: string;
  detail?: string;
  /** Names of the tools that are called, in order; none: []. */
  tools?: string[];
  /** Least number of sources that the model reads. */
  minSources?: number;
  maxMessages?: number;
  maxCharacters?: number;
  maxTokens?: number;
  /** Sentences that a model shall find true of the answer. */
  judge?: string[];
}

/** Something that a contact writes, and what is expected of the answer. */
export interface EvalStep {
  contact: string;
  expect: Expectation;
}

/** A conversation that is played from its beginning. */
export interface EvalConversation {
  name: string;
  steps: EvalStep[];
}

type Kind = 'text' | 'number' | 'texts';
const RULES: Record<keyof Expectation, Kind> = {
  ...{ contains: 'texts', containsNone: 'texts', tools: 'texts', judge: 'texts' },
  ...{ matches: 'text', outcome: 'text', detail: 'text' },
  ...{ minSources: 'number', maxMessages: 'number', maxCharacters: 'number', maxTokens: 'number' },
} as Record<keyof Expectation, Kind>;
const WORDS: Record<Kind, string> = {
  text: 'a text that is not empty',
  texts: 'a list of texts',
  number: 'a whole number from 0 on',
};
/** Most steps of a conversation. */
export const MOST_STEPS = 20;
/** Most sentences of one step, as the gateway takes them. */
const MOST_SENTENCES = 10;
/** Most characters of one. */
export const SENTENCE_MAX = 500;
const MOST_CONVERSATIONS = 1_000;

/**
 * Reads the conversations of a file of evals: `{"conversations": [{"name", "steps": [{"contact", "expect"}]}]}`. One that was made out of real
 * conversations says `reviewed`, which a person makes true.
 * @throws UsageError that names the place and the rule.
 */
export function readEvals(file: string): EvalConversation[] {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new UsageError(`${file} cannot be read as JSON: ${(error as Error).message}`);
  }
  const { conversations, reviewed = true } = fieldsOf(content, 'the file', ['conversations', 'reviewed']);
  if (reviewed !== true)
    throw new UsageError(
      `${file} was made out of real conversations: look through it, take out what still names a person, and set reviewed to true.`,
    );
  return listOf(conversations, 'conversations', MOST_CONVERSATIONS).map(conversationOf);
}

function conversationOf(value: unknown, index: number): EvalConversation {
  const at = `conversations[${index}]`;
  const { name, steps } = fieldsOf(value, at, ['name', 'steps']);
  return {
    name: textOf(name, `${at}.name`),
    steps: listOf(steps, `${at}.steps`, MOST_STEPS).map((step, place) =>
      stepOf(step, `${at}.steps[${place}]`),
    ),
  };
}

function stepOf(value: unknown, at: string): EvalStep {
  const { contact, expect = {} } = fieldsOf(value, at, ['contact', 'expect']);
  return { contact: textOf(contact, `${at}.contact`), expect: expectationOf(expect, `${at}.expect`) };
}

function expectationOf(value: unknown, at: string): Expectation {
  const rules = fieldsOf(value, at, Object.keys(RULES));
  for (const [name, rule] of Object.entries(rules)) {
    const kind = RULES[name as keyof Expectation];
    if (!isA(kind, rule)) throw new UsageError(`${at}.${name} must be ${WORDS[kind]}.`);
  }
  assertRegExp(rules['matches'] as string | undefined, at);
  assertSentences((rules as Expectation).judge, at);
  return rules as Expectation;
}

function assertRegExp(source: string | undefined, at: string): void {
  try {
    new RegExp(source ?? '', 'iu');
  } catch {
    throw new UsageError(`${at}.matches must be a regular expression.`);
  }
}

function assertSentences(sentences: string[] = [], at: string): void {
  if (sentences.length > MOST_SENTENCES || sentences.some(({ length }) => length > SENTENCE_MAX))
    throw new UsageError(
      `${at}.judge must have ${MOST_SENTENCES} sentences at most, of ${SENTENCE_MAX} characters at most.`,
    );
}

function isA(kind: Kind, value: unknown): boolean {
  if (kind === 'number') return Number.isSafeInteger(value) && Number(value) >= 0;
  if (kind === 'text') return isText(value);
  return Array.isArray(value) && value.every(isText);
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

function textOf(value: unknown, at: string): string {
  if (!isText(value)) throw new UsageError(`${at} must be ${WORDS.text}.`);
  return value;
}

function listOf(value: unknown, at: string, most: number): unknown[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > most)
    throw new UsageError(`${at} must be a list of 1 to ${most}.`);
  return value;
}

function fieldsOf(value: unknown, at: string, names: string[]): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError(`${at} must be an object.`);
  const unknown = Object.keys(value).find((name) => !names.includes(name));
  if (unknown !== undefined) throw new UsageError(`${at}.${unknown}: there is no such field.`);
  return value as Record<string, unknown>;
}
