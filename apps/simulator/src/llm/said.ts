import type { ChatMessage, ChatRequest } from './chat-request.js';
import type { LlmRule } from './rules.js';

/** Words and calls of tools of an answer, before they are put on the wire. */
export interface Said {
  text: string;
  calls: { name: string; arguments: string }[];
}

/** Says what a rule says. */
export function saidBy({ text = '', toolCalls = [] }: LlmRule, { messages }: ChatRequest): Said {
  const results = resultsOf(messages).map((result) => result.text);
  return {
    text: filledIn(text, lastOfUser(messages)?.text ?? '', results.join('\n')),
    calls: toolCalls.map(({ name, arguments: words }) => ({ name, arguments: words })),
  };
}

/** Puts the text of a call, and the results of its tools, into the text of a rule. */
export const filledIn = (template: string, text: string, results = ''): string =>
  template.replaceAll('{text}', () => text).replaceAll('{result}', () => results);

/** Tells what was written, or what the tools have answered. */
export function echo({ messages }: ChatRequest): Said {
  const results = resultsOf(messages).map(({ name, text }) => `Result of ${name}: ${text}`);
  if (results.length > 0) return { text: results.join('\n'), calls: [] };
  const { text = '', files = [] } = lastOfUser(messages) ?? {};
  const withFiles = files.length > 0 ? ` (with ${files.join(', ')})` : '';
  return { text: `You wrote: ${text}${withFiles}`, calls: [] };
}

export const lastOfUser = (messages: ChatMessage[]): ChatMessage | undefined =>
  messages.findLast(({ role }) => role === 'user');

/** Lists the results of tools at the end of a conversation, each with the name of its tool. */
export function resultsOf(messages: ChatMessage[]): { name: string; text: string }[] {
  const asked = messages.findLastIndex(({ role }) => role !== 'tool');
  const calls = messages[asked]?.toolCalls ?? [];
  return messages.slice(asked + 1).map(({ text, toolCallId }) => ({
    name: calls.find(({ id }) => id === toolCallId)?.name ?? '',
    text,
  }));
}
