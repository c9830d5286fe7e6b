import { createHash } from 'node:crypto';
import { answerTo, factsOf, type LlmAnswer } from '../llm/answers.js';
import { type ChatMessage, chatRequestOf } from '../llm/chat-request.js';
import { follow, type Giver, halves, jsonOf } from '../llm/givers.js';
import { LlmError, must } from '../llm/llm-error.js';
import type { OpenCall } from '../llm/open-call.js';

type Json = Record<string, unknown>;

/** The wire of one foreign brain: which messages a question has, and how an answer is written. */
interface Shape {
  messagesOf(body: Json): Pick<ChatMessage, 'role' | 'text'>[];
  /** @param hidesUsage numbers of tokens are left out. */
  reply(body: Json, answer: LlmAnswer, call: OpenCall, hidesUsage: boolean): object;
}

const MODEL = 'stand-in';
/** Tool by whose call a rule hands over. */
const HAND_OVER = 'hand_over';
const MARK = `[${HAND_OVER}]`;

const handsOver = ({ toolCalls }: LlmAnswer): boolean => toolCalls.some(({ name }) => name === HAND_OVER);
const withMark = (answer: LlmAnswer): string =>
  handsOver(answer) ? `${answer.text} ${MARK}`.trim() : answer.text;

function textIn(body: Json, field: string): string {
  const value = body[field];
  must(typeof value === 'string' && value !== '', field, 'must be text');
  return value;
}

const http: Shape = {
  messagesOf: (body) => {
    const { messages } = body;
    textIn(body, 'conversationId');
    must(Array.isArray(messages) && messages.length > 0, 'messages', 'must be a list');
    return messages as Pick<ChatMessage, 'role' | 'text'>[];
  },
  reply: (_, answer, __, hidesUsage) => {
    const { text, usage } = answer;
    const { promptTokens, completionTokens } = usage;
    return {
      ...(text === '' ? {} : { parts: text.split('\n\n') }),
      ...(handsOver(answer) ? { handoff: 'asked for' } : {}),
      ...(hidesUsage ? {} : { usage: { promptTokens, completionTokens } }),
    };
  },
};

/** Makes the name of a conversation: the same one for each user of a key. */
const nameFor = ({ key }: OpenCall, user: string): string => {
  const hex = createHash('sha256').update(`${key.key}/${user}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};

const dify: Shape = {
  messagesOf: (body) => {
    must(
      body['response_mode'] === 'blocking',
      'response_mode',
      'must be blocking: the stand-in does not stream',
    );
    must(typeof body['inputs'] === 'object', 'inputs', 'must be an object');
    textIn(body, 'user');
    return [{ role: 'user', text: textIn(body, 'query') }];
  },
  reply: (body, answer, call, hidesUsage) => {
    const name = nameFor(call, textIn(body, 'user'));
    const asked = body['conversation_id'];
    if (asked && asked !== name) throw new LlmError(404, 'Conversation Not Exists.', { code: 'not_found' });
    const { promptTokens: prompt_tokens, completionTokens: completion_tokens } = answer.usage;
    const usage = { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
    return {
      ...{ event: 'message', id: call.id, message_id: call.id, mode: 'chat', conversation_id: name },
      ...{ answer: withMark(answer), metadata: hidesUsage ? {} : { usage }, created_at: 0 },
    };
  },
};

const flowise: Shape = {
  messagesOf: (body) => [{ role: 'user', text: textIn(body, 'question') }],
  reply: (body, answer, call) => {
    const { sessionId } = (body['overrideConfig'] ?? {}) as { sessionId?: unknown };
    const chatId = body['chatId'] ?? call.id;
    return {
      ...{ text: withMark(answer), question: body['question'], chatId, chatMessageId: call.id },
      sessionId: sessionId ?? chatId,
    };
  },
};

/** Answers as a brain of this shape does, by the rules of the key. */
function giverOf(shape: Shape): Giver {
  return async (call, bytes) => {
    const body = jsonOf(bytes) as Json;
    call.asks(body);
    const messages = shape.messagesOf(body).map(({ role, text: content }) => ({ role, content }));
    const request = chatRequestOf({ model: MODEL, messages });
    const rule = await follow(call, factsOf(request));
    if (call.isOver) return;
    const answer = answerTo(request, rule, call.key.rules.obedient);
    const { text, usage } = answer;
    const reply = JSON.stringify(shape.reply(body, answer, call, rule?.hidesUsage ?? false));
    await call.give('application/json', { pieces: halves(reply) }, { text, usage }, rule);
  };
}

/** Givers of the paths of foreign brains, by the beginning of the path. */
export const BRAINS: Readonly<Record<string, Giver>> = {
  '/llm/http': giverOf(http),
  '/llm/dify/v1/chat-messages': giverOf(dify),
  '/llm/flowise/api/v1/prediction/': giverOf(flowise),
};
