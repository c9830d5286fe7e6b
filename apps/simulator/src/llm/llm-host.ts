import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { log } from '@svc/service';
import { answerTo, factsOf } from './answers.js';
import type { CallLog } from './call-log.js';
import { chatRequestOf } from './chat-request.js';
import { completionOf, streamOf } from './chat-wire.js';
import { LlmError, must } from './llm-error.js';
import type { LlmKeys } from './llm-keys.js';
import { answerError, OpenCall } from './open-call.js';
import type { CallFacts, LlmCallKind, LlmRule } from './rules.js';
import { filledIn } from './said.js';
import { transcriptionOf, transcriptOf } from './transcription.js';

export const LLM_PATH = '/llm/v1';
const KINDS: Record<string, LlmCallKind> = {
  [`POST ${LLM_PATH}/chat/completions`]: 'chat',
  [`POST ${LLM_PATH}/audio/transcriptions`]: 'transcription',
  [`GET ${LLM_PATH}/models`]: 'models',
};
const KEY = /^Bearer (\S{1,100})$/;
const LARGEST_BODY_BYTES = 32 * 1024 * 1024;
/** Longer than callers keep an idle connection: none meets one that closes. */
const KEEP_ALIVE_MS = 75_000;
const MODELS = ['stand-in', 'stand-in-small', 'stand-in-transcribe'];
const JSON_TYPE = 'application/json';

/** This class answers as a provider of language models does, by the rules of the caller's key. */
export class LlmHost {
  private readonly server: Server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    response.on('error', () => undefined);
    this.receive(request, response).catch((error: unknown) => answerError(response, error));
  });

  constructor(
    private readonly keys: LlmKeys,
    private readonly calls: CallLog,
  ) {}

  /** Resolves with the base address that callers use. */
  async listen(host: string, port: number): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(port, host, () => {
        this.server.off('error', reject);
        resolve();
      });
    });
    const bound = (this.server.address() as AddressInfo).port;
    return `http://${host.includes(':') ? `[${host}]` : host}:${bound}${LLM_PATH}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    if (this.server.listening) await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const key = KEY.exec(request.headers.authorization ?? '')?.[1];
    if (key === undefined)
      throw new LlmError(401, 'authorization must be Bearer and a key of 1 to 100 characters');
    const kind = KINDS[`${request.method} ${request.url?.split('?')[0]}`];
    if (kind === undefined) throw new LlmError(404, 'there is no such path');
    const call = new OpenCall(this.keys.use(key), kind, response, this.calls);
    try {
      await this.answer(call, kind, await bodyOf(request), request.headers['content-type'] ?? '');
    } catch (error) {
      if (!(error instanceof LlmError)) log().error({ err: error }, 'a call of the stand-in failed');
      call.refuse(error);
    }
  }

  private async answer(call: OpenCall, kind: LlmCallKind, body: Buffer, type: string): Promise<void> {
    if (kind === 'chat') await giveChat(call, body);
    else if (kind === 'transcription') await giveTranscript(call, body, type);
    else await giveModels(call);
  }
}

async function giveChat(call: OpenCall, body: Buffer): Promise<void> {
  const json = jsonOf(body);
  call.asks(json);
  const request = chatRequestOf(json);
  const { rules } = call.key;
  const { obedient } = rules;
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
async function follow(call: OpenCall, facts: CallFacts): Promise<LlmRule | undefined> {
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
const halves = (text: string): string[] => {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
};

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return must(false, 'body', 'must be JSON');
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const tooLarge = new LlmError(413, 'the body must be 32 MB at most');
  if (Number(request.headers['content-length']) > LARGEST_BODY_BYTES) throw tooLarge;
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > LARGEST_BODY_BYTES) throw tooLarge;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
