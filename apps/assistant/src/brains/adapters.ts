import type { ModelMessage } from '../answers/model.js';
import { HAND_OVER } from '../answers/prompt.js';
import type { Brain, BrainAnswer } from './brain.js';

/** Words in an answer by which a brain without a field for it hands the conversation to a person. */
const MARK = `[${HAND_OVER}]`;

/** Plain HTTP: the whole conversation in one JSON, the answer in the reply. */
const http: Brain = {
  ask: (url, messages, { id, sessionId }) => ({
    url,
    body: {
      ...{ conversationId: id, sessionId },
      messages: messages
        .filter(({ role }) => role !== 'system')
        .map(({ role, content }) => ({ role, text: content })),
    },
  }),
  read: ({ text, parts, handoff, usage }) => {
    const words = Array.isArray(parts) ? parts : [text];
    const isText = words.every((one) => typeof one === 'string');
    const isHandedOver = handoff === true || (typeof handoff === 'string' && handoff !== '');
    if (!isText && !isHandedOver) return undefined;
    const { promptTokens, completionTokens } = objectOf(usage) ?? {};
    return {
      ...{ text: isText ? words.join('\n\n') : '', isHandedOver },
      usage: usageOf(promptTokens, completionTokens),
    };
  },
};

/** Dify: it keeps the conversation itself, under a name of its own. */
const dify: Brain = {
  ask: (baseUrl, messages, { id, foreignId = '' }) => ({
    url: `${baseUrl.replace(/\/+$/, '')}/chat-messages`,
    body: {
      ...{ inputs: {}, query: newWords(messages), response_mode: 'blocking', user: id },
      ...{ conversation_id: foreignId, auto_generate_name: false },
    },
  }),
  read: ({ answer, conversation_id: foreignId, metadata }) => {
    const usage = objectOf(objectOf(metadata)?.['usage']);
    return marked(answer, {
      usage: usageOf(usage?.['prompt_tokens'], usage?.['completion_tokens']),
      foreignId: typeof foreignId === 'string' && foreignId.length <= 100 ? foreignId : undefined,
    });
  },
};

/** Flowise: it keeps the conversation under the name that it is given. Its reply says nothing of tokens. */
const flowise: Brain = {
  ask: (url, messages, { id }) => ({
    url,
    body: { question: newWords(messages), chatId: id, overrideConfig: { sessionId: id }, streaming: false },
  }),
  read: ({ text }) => marked(text, {}),
};

/** Adapters by kind. */
export const BRAINS = { http, dify, flowise } as const satisfies Record<string, Brain>;

/** Joins what the contact has written since the last answer: what came before, the brain has kept. */
function newWords(messages: ModelMessage[]): string {
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  return messages
    .slice(last + 1)
    .filter(({ role }) => role === 'user')
    .map(({ content }) => String(content))
    .join('\n');
}

function marked(answer: unknown, more: Pick<BrainAnswer, 'usage' | 'foreignId'>): BrainAnswer | undefined {
  if (typeof answer !== 'string') return undefined;
  return { text: answer.replaceAll(MARK, '').trim(), isHandedOver: answer.includes(MARK), ...more };
}

function usageOf(prompt: unknown, completion: unknown): BrainAnswer['usage'] {
  const isTold = typeof prompt === 'number' && typeof completion === 'number';
  return isTold ? { prompt_tokens: prompt, completion_tokens: completion } : undefined;
}

function objectOf(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
}
