import type { LlmAnswer } from './answers.js';
import type { ChatRequest } from './chat-request.js';
import type { Usage } from './usage.js';

const PIECE_OF_ARGUMENTS = 12;

/** Names of one answer, which all its parts repeat. */
export interface AnswerName {
  id: string;
  created: number;
  model: string;
}

/** Writes an answer as one object. */
export function completionOf(name: AnswerName, answer: LlmAnswer, hidesUsage: boolean): object {
  const calls = answer.toolCalls.map(({ id, ...call }) => ({ id, type: 'function', function: call }));
  const message = {
    role: 'assistant',
    content: answer.text || (calls.length > 0 ? null : ''),
    refusal: null,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
  return {
    ...name,
    object: 'chat.completion',
    choices: [{ index: 0, message, logprobs: null, finish_reason: answer.finishReason }],
    ...(hidesUsage ? {} : { usage: usageView(answer.usage) }),
  };
}

/** A stream: its head, the pieces of words and arguments, its end. */
export interface ChatStream {
  head: string;
  pieces: string[];
  end: string;
}

/** Writes an answer as the events of a stream. */
export function streamOf(
  name: AnswerName,
  answer: LlmAnswer,
  { includesUsage }: Pick<ChatRequest, 'includesUsage'>,
): ChatStream {
  const event = (choices: object[], usage: object | null = null): string =>
    eventOf({ ...name, object: 'chat.completion.chunk', choices, ...(includesUsage ? { usage } : {}) });
  const choice = (delta: object, finishReason: string | null = null): string =>
    event([{ index: 0, delta, logprobs: null, finish_reason: finishReason }]);
  const usage = includesUsage ? event([], usageView(answer.usage)) : '';
  return {
    head: choice({ role: 'assistant', content: '' }),
    pieces: deltasOf(answer).map((delta) => choice(delta)),
    end: `${choice({}, answer.finishReason)}${usage}data: [DONE]\n\n`,
  };
}

const eventOf = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;

function deltasOf({ text, toolCalls }: LlmAnswer): object[] {
  const words = text.match(/\S+\s*|\s+/g) ?? [];
  const calls = toolCalls.flatMap(({ id, name, arguments: all }, index) => [
    { index, id, type: 'function', function: { name, arguments: '' } },
    ...partsOf(all).map((part) => ({ index, function: { arguments: part } })),
  ]);
  return [...words.map((content) => ({ content })), ...calls.map((call) => ({ tool_calls: [call] }))];
}

const partsOf = (text: string): string[] =>
  Array.from({ length: Math.ceil(text.length / PIECE_OF_ARGUMENTS) }, (_, at) =>
    text.slice(at * PIECE_OF_ARGUMENTS, (at + 1) * PIECE_OF_ARGUMENTS),
  );

const usageView = ({ promptTokens, completionTokens, cachedTokens }: Usage): object => ({
  prompt_tokens: promptTokens,
  completion_tokens: completionTokens,
  total_tokens: promptTokens + completionTokens,
  prompt_tokens_details: { cached_tokens: cachedTokens },
  completion_tokens_details: { reasoning_tokens: 0 },
});
