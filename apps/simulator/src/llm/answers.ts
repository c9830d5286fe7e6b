import { createHash } from 'node:crypto';
import type { ChatRequest, ToolCall } from './chat-request.js';
import { withoutUndefined } from '../http/without-undefined.js';
import { obey } from './obedience.js';
import type { CallFacts, LlmRule } from './rules.js';
import { echo, lastOfUser, resultsOf, type Said, saidBy } from './said.js';
import { type Usage, usageOf, withinTokens } from './usage.js';

/** An answer of the stand-in, whole. */
export interface LlmAnswer {
  text: string;
  toolCalls: ToolCall[];
  finishReason: 'stop' | 'length' | 'tool_calls';
  usage: Usage;
}

/** Reads the facts by which rules are chosen. */
export const factsOf = ({ model, messages }: ChatRequest): CallFacts => ({
  call: 'chat',
  model,
  text: lastOfUser(messages)?.text ?? '',
  turn: messages.filter(({ role }) => role === 'user').length,
  afterTool: resultsOf(messages).at(-1)?.name,
});

/** Answers a request: by a rule, in obedience to whoever wrote something, or by telling what was written. */
export function answerTo(request: ChatRequest, rule: LlmRule | undefined, obedient: boolean): LlmAnswer {
  const unruled = obedient ? obey : echo;
  const said = rule ? saidBy(rule, request) : unruled(request);
  const { mostTokens = Infinity, messages } = request;
  const text = withinTokens(said.text, mostTokens);
  const toolCalls = said.calls.map((call, index) => ({ id: callId(call, messages.length, index), ...call }));
  const ended = toolCalls.length > 0 ? 'tool_calls' : 'stop';
  return {
    text,
    toolCalls,
    finishReason: text.length < said.text.length ? 'length' : ended,
    usage: { ...usageOf(request, text, toolCalls), ...withoutUndefined(rule?.usage ?? {}) },
  };
}

/** Names a call of a tool by its place and words: the same conversation has the same names. */
function callId({ name, arguments: words }: Said['calls'][number], ...place: number[]): string {
  const digest = createHash('sha256').update(JSON.stringify([place, name, words]));
  return `call_${digest.digest('hex').slice(0, 24)}`;
}
