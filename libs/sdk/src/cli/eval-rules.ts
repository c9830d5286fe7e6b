import type { PlayedAnswer } from '../generated/schemas.js';
import type { Expectation } from './eval-file.js';

/** Outcomes with which nobody was answered for a reason that no conversation has: they fail where none is expected. */
const NO_ANSWER = [
  ...['PROVIDER_FAILED', 'NOT_CONFIGURED', 'SUBSCRIPTION'],
  ...['TOKENS_USED_UP', 'CALLS_USED_UP'],
];

/** Judges an answer by its rules. @returns a sentence for each rule that it breaks. */
export function brokenRules(expected: Expectation, played: PlayedAnswer): string[] {
  const text = played.texts.join('\n\n');
  const has = (part: string): boolean => text.toLowerCase().includes(part.toLowerCase());
  const { contains = [], containsNone = [], matches } = expected;
  return [
    ...brokenOutcome(expected, played),
    ...contains.filter((part) => !has(part)).map((part) => `the answer does not contain ${quoted(part)}`),
    ...containsNone.filter(has).map((part) => `the answer contains ${quoted(part)}`),
    ...(matches === undefined || new RegExp(matches, 'iu').test(text)
      ? []
      : [`the answer does not match ${quoted(matches)}`]),
    ...brokenTools(expected, played),
    ...brokenBounds(expected, played, text),
  ];
}

function brokenOutcome({ outcome, detail }: Expectation, played: PlayedAnswer): string[] {
  const is = played.detail === null ? played.outcome : `${played.outcome} (${played.detail})`;
  if (outcome === undefined) return NO_ANSWER.includes(played.outcome) ? [`there is no answer: ${is}`] : [];
  const isAsExpected = outcome === played.outcome && (detail === undefined || detail === played.detail);
  const expected = detail === undefined ? outcome : `${outcome} (${detail})`;
  return isAsExpected ? [] : [`the outcome is ${is}, not ${expected}`];
}

function brokenTools({ tools }: Expectation, { toolCalls }: PlayedAnswer): string[] {
  const called = toolCalls.map(({ tool }) => tool);
  if (tools === undefined || tools.join() === called.join()) return [];
  return [`the tools are ${listed(called)}, not ${listed(tools)}`];
}

function brokenBounds(
  { minSources = 0, maxMessages, maxCharacters, maxTokens }: Expectation,
  { sources, texts, tokens }: PlayedAnswer,
  { length }: string,
): string[] {
  const bounds: [what: string, count: number, most: number | undefined][] = [
    ['messages', texts.length, maxMessages],
    ['characters', length, maxCharacters],
    ['tokens', tokens, maxTokens],
  ];
  return [
    ...(sources.length < minSources ? [`it has ${sources.length} sources, fewer than ${minSources}`] : []),
    ...bounds
      .filter(([, count, most]) => most !== undefined && count > most)
      .map(([what, count, most]) => `it has ${count} ${what}, more than ${most}`),
  ];
}

const quoted = (text: string): string => JSON.stringify(text);
const listed = (names: string[]): string => (names.length === 0 ? 'none' : names.join(', '));
