import { answerTo, factsOf } from './answers.js';
import { chatRequestOf } from './chat-request.js';
import { completionOf, streamOf } from './chat-wire.js';
import { LlmError } from './llm-error.js';
import type { OpenCall } from './open-call.js';
import type { CallFacts, LlmCallKind, LlmRule } from './rules.js';
import { filledIn } from './said.js';
import { transcriptionOf, transcriptOf } from './transcription.js';

const MODELS = ['stand-in', 'stand-in-small', 'stand-in-transcribe'];
const JSON_TYPE = 'application/json';

/** Gives the answer to a call with this body, of this type. @throws LlmError where it is refused */
export type Giver = (call: OpenCall, body: Buffer, type: string) => Promise<void>;

/** Functions that answer calls, by kind. */
export const GIVERS: Record<LlmCallKind, Giver> = {
  chat: giveChat,
  transcription: giveTranscript,
  models: giveModels,
};

async function giveChat(call: OpenCall, body: Buffer): Promise<void> {
  const json = jsonOf(body);
  call.asks(json);
  const request = chatRequestOf(json);
  const { obedient } = call.key.rules;
  const rule = await follow(call, factsOf(request));
  if (call.isOver) return;
  const answer = answerTo(request, rule, obedient);
  const { text, usage } = answer;
  const name = { id: call.id, created: Math.floor(Date.now() / 1000), model: request.model };
  const hidesUsage = rule?.hidesUsage ?? false;
  const parts = request.stream
    ? streamOf(name, answer, { includesUsage: request.includesUsage && !hidesUsage })
    : { pieces: halves(JSON.stringify(completionOf(name, answer, hidesUsage))) };
  await call.give(request.stream ? 'text/event-stream' : JSON_TYPE, parts, { text, usage }, rule);
}

async function giveTranscript(call: OpenCall, body: Buffer, type: string): Promise<void> {
  const request = await transcriptionOf(body, type);
  const { model, format, language, prompt, file, words, seconds } = request;
  call.asks({ model, response_format: format, language, prompt, file });
  const facts: CallFacts = { call: 'transcription', model, text: words, turn: 1, afterTool: undefined };
  const rule = await follow(call, facts);
  if (call.isOver) return;
  const text = rule?.text === undefined ? words : filledIn(rule.text, words);
  const transcript = transcriptOf(request, text);
  const isText = typeof transcript === 'string';
  const parts = { pieces: halves(isText ? transcript : JSON.stringify(transcript)) };
  await call.give(isText ? 'text/plain' : JSON_TYPE, parts, { text, audioSeconds: seconds }, rule);
}

async function giveModels(call: OpenCall): Promise<void> {
  const facts: CallFacts = { call: 'models', model: '', text: '', turn: 0, afterTool: undefined };
  const rule = await follow(call, facts);
  if (call.isOver) return;
  const data = MODELS.map((id) => ({ id, object: 'model', created: 0, owned_by: 'simulator' }));
  const pieces = halves(JSON.stringify({ object: 'list', data }));
  await call.give(JSON_TYPE, { pieces }, { text: '' }, rule);
}

/** Does what a rule says before there is an answer: waits, hangs up, refuses. @throws LlmError where it refuses */
export async function follow(call: OpenCall, facts: CallFacts): Promise<LlmRule | undefined> {
  const rule = call.key.rules.take(facts);
  await call.wait(rule?.delayMs);
  if (rule?.error && !call.isOver) {
    const { status, message = 'the rule of this key says so', ...details } = rule.error;
    throw new LlmError(status, message, details);
  }
  if (rule?.cutAfter === 0) call.cut();
  return rule;
}

/** Makes two pieces of a body that is no stream, so that it can be cut in the middle. */
export function halves(text: string): string[] {
  const letters = Array.from(text);
  const middle = Math.ceil(letters.length / 2);
  return [letters.slice(0, middle).join(''), letters.slice(middle).join('')];
}

/** Reads a body. @throws LlmError where it is no JSON */
export function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new LlmError(400, 'body must be JSON', { param: 'body' });
  }
}
