import type { ChatMessage, ChatRequest, ToolCall } from './chat-request.js';

/** Numbers of tokens of one answer; those that came from a cache are part of the prompt's. */
export interface Usage {
  promptTokens: number;
  completionTokens: number;
  cachedTokens: number;
}

const CHARACTERS_OF_TOKEN = 4;
const TOKENS_OF_MESSAGE = 4;
const TOKENS_OF_FILE = 85;
/** Prefixes that large providers keep: of 1,024 tokens or more, in steps of 128. */
const LEAST_CACHED = 1_024;
const CACHED_STEP = 128;

export const tokensOf = (text: string): number => Math.ceil(text.length / CHARACTERS_OF_TOKEN);

/** Returns the part of a text that a number of tokens has room for. */
export const withinTokens = (text: string, tokens: number): string =>
  text.slice(0, tokens * CHARACTERS_OF_TOKEN);

const tokensOfCalls = (calls: ToolCall[]): number =>
  sum(calls.map(({ name, arguments: text }) => tokensOf(name) + tokensOf(text)));

const tokensOfMessage = ({ text, files, toolCalls }: ChatMessage): number =>
  TOKENS_OF_MESSAGE + tokensOf(text) + files.length * TOKENS_OF_FILE + tokensOfCalls(toolCalls);

/** Counts tokens by the texts alone, so that the same conversation has the same numbers wherever it is asked. */
export function usageOf({ messages, tools }: ChatRequest, text: string, calls: ToolCall[]): Usage {
  const offers = tools.length > 0 ? tokensOf(JSON.stringify(tools)) : 0;
  return {
    promptTokens: offers + sum(messages.map(tokensOfMessage)),
    completionTokens: tokensOf(text) + tokensOfCalls(calls),
    cachedTokens: cachedOf(messages, offers),
  };
}

/** Counts what an earlier turn of the conversation would have left in the cache: all before the last message of a user. */
function cachedOf(messages: ChatMessage[], offers: number): number {
  const earlier = messages.slice(
    0,
    Math.max(
      0,
      messages.findLastIndex(({ role }) => role === 'user'),
    ),
  );
  if (!earlier.some(({ role }) => role === 'assistant')) return 0;
  const tokens = offers + sum(earlier.map(tokensOfMessage));
  return tokens < LEAST_CACHED ? 0 : tokens - (tokens % CACHED_STEP);
}

const sum = (numbers: number[]): number => numbers.reduce((total, one) => total + one, 0);
