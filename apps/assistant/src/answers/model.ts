import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { LLM_CALL_MAX } from '@svc/contracts';
import { AddressGuard, DESTINATION_NOT_ALLOWED, guardedConnector } from '@svc/outbound-http';
import OpenAI, { APIConnectionTimeoutError, APIError, APIUserAbortError } from 'openai';
import { Agent, type Dispatcher } from 'undici';
import { storable } from '../storable.js';
import type { ProviderAccess } from '../providers/providers.service.js';

/** One message of the conversation, as the model reads it. */
export type ModelMessage = OpenAI.Chat.Completions.ChatCompletionMessageParam;

/** One question to a model. */
export interface Question {
  access: Pick<ProviderAccess, 'baseUrl' | 'key' | 'isOperators'>;
  model: string;
  messages: ModelMessage[];
  maxTokens: number;
  tools: OpenAI.Chat.Completions.ChatCompletionFunctionTool[];
  timeoutMs: number;
  signal: AbortSignal;
}

/** Tokens of one call. */
export interface Tokens {
  prompt: number;
  completion: number;
  cached: number;
  /** The server has not said them: they are estimated by the length of the texts. */
  isEstimated: boolean;
}

/** Call of a tool, as the model wants it. */
export interface ToolCall {
  id: string;
  name: string;
  /** JSON, or what the model takes for it. */
  arguments: string;
}

/** Answer of a model. */
export interface ModelAnswer {
  model: string;
  text: string;
  toolCalls: ToolCall[];
  tokens: Tokens;
}

/**
 * Kinds of failure: the question never left (`unsent`), the server refuses it and will again (`refused`), the server cannot answer now
 * (`away`), and a question that left and has no whole answer (`lost`), which may have cost tokens.
 */
export type ModelFailureKind = 'unsent' | 'refused' | 'away' | 'lost';

/** A model that gave no answer. It holds no text of the question, of the answer or of the server. */
export class ModelFailure extends Error {
  /** @param retryAfterMs what the server asks for. */
  constructor(
    readonly kind: ModelFailureKind,
    readonly code: string,
    readonly retryAfterMs?: number,
  ) {
    super(`The model gave no answer: ${code}`);
  }
}

/** The library tells the server our operating system and version otherwise. */
const SILENT_HEADERS = Object.fromEntries(
  ['lang', 'package-version', 'os', 'arch', 'runtime', 'runtime-version', 'retry-count', 'timeout'].map(
    (name) => [`x-stainless-${name}`, null],
  ),
);
const NEVER_CONNECTED = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  DESTINATION_NOT_ALLOWED,
];
/** Bytes of UTF-8 that one token has about, over languages. */
const BYTES_PER_TOKEN = 3.5;
/** Stands for a picture where tokens are estimated: about 1,000 of them, whatever its bytes. */
const PICTURE = 'x'.repeat(3_500);
/** Most tokens of each kind, whatever a server says: no call has more, and billing takes none that has. */
const TOKENS_MAX = LLM_CALL_MAX / 2;
/** Most characters of an answer that are kept while it comes in, whatever a server sends. */
export const TEXT_MAX = 16_000;
/** Most calls of tools in one answer, and most characters of the arguments of one. */
const TOOL_CALLS_MAX = 8;
const ARGUMENTS_MAX = 16_000;

/** This service asks language models by the OpenAI-compatible API of their provider. */
@Injectable()
export class Models implements OnApplicationShutdown {
  private readonly guarded: Dispatcher;
  private readonly free: Dispatcher = new Agent();

  constructor(guard: AddressGuard) {
    this.guarded = new Agent({ connect: guardedConnector(guard) });
  }

  /** @throws ModelFailure */
  async ask(question: Question): Promise<ModelAnswer> {
    const { model, messages, maxTokens, tools } = question;
    const body: OpenAI.Chat.Completions.ChatCompletionCreateParamsStreaming = {
      ...{ model, messages, max_tokens: maxTokens, stream: true, stream_options: { include_usage: true } },
      ...(tools.length > 0 ? { tools } : {}),
    };
    let heard: Heard;
    try {
      const stream = await this.clientOf(question).chat.completions.create(body, { signal: question.signal });
      heard = await hear(stream);
    } catch (error) {
      throw failureOf(error);
    }
    const { isWhole, usage } = heard;
    if (!isWhole) throw new ModelFailure('lost', 'STREAM_CUT');
    const text = storable(heard.text);
    const toolCalls = heard.toolCalls.map(({ id, name, arguments: said }) => ({
      ...{ id: storable(id), name: storable(name), arguments: storable(said) },
    }));
    return { model, text, toolCalls, tokens: tokensOf(usage, messages, text) };
  }

  /** Returns the way to a provider: to that of a tenant a guarded one. */
  dispatcherFor({ isOperators }: Pick<ProviderAccess, 'isOperators'>): Dispatcher {
    return isOperators ? this.free : this.guarded;
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.guarded.destroy(), this.free.destroy()]);
  }

  private clientOf({ access: { baseUrl, key, isOperators }, timeoutMs }: Question): OpenAI {
    return new OpenAI({
      ...{ baseURL: baseUrl, apiKey: key ?? 'none', maxRetries: 0, timeout: timeoutMs, logLevel: 'off' },
      // The environment of the process is nobody's key and nobody's account.
      ...{ organization: null, project: null, webhookSecret: null },
      defaultHeaders: { ...SILENT_HEADERS, 'user-agent': 'svc', ...(key ? {} : { authorization: null }) },
      fetchOptions: { dispatcher: this.dispatcherFor({ isOperators }), redirect: 'error' } as object,
    });
  }
}

/** Call of a tool, and its place among those of an answer, where the server says it. */
interface HeardCall extends ToolCall {
  index: number | undefined;
}

/** Content of a stream. */
interface Heard {
  text: string;
  toolCalls: HeardCall[];
  /** The model has said that it is finished; a stream without that was cut. */
  isWhole: boolean;
  usage?: OpenAI.CompletionUsage;
}

async function hear(stream: AsyncIterable<OpenAI.Chat.Completions.ChatCompletionChunk>): Promise<Heard> {
  const heard: Heard = { text: '', toolCalls: [], isWhole: false };
  for await (const { choices = [], usage } of stream) {
    if (usage) heard.usage = usage;
    if (choices[0]) hearPiece(heard, choices[0]);
  }
  return heard;
}

function hearPiece(
  heard: Heard,
  { delta, finish_reason }: OpenAI.Chat.Completions.ChatCompletionChunk.Choice,
): void {
  const { content, tool_calls = [] } = delta;
  heard.text = (heard.text + (content ?? '')).slice(0, TEXT_MAX);
  for (const call of tool_calls) hearToolCall(heard.toolCalls, call);
  heard.isWhole ||= Boolean(finish_reason);
}

/**
 * Takes a piece of a call: the first one has its name, each some of its arguments. Servers that are compatible leave out the place of a call, or
 * write all calls at one: a name begins another call, unless it is said again with the same id.
 */
function hearToolCall(
  calls: HeardCall[],
  {
    index,
    id = '',
    function: piece,
  }: Partial<OpenAI.Chat.Completions.ChatCompletionChunk.Choice.Delta.ToolCall>,
): void {
  const { name, arguments: said = '' } = piece ?? {};
  const call = goesOn(calls, { index, id, name }) ?? { index, id, name: name ?? '', arguments: '' };
  if (!calls.includes(call) && calls.length < TOOL_CALLS_MAX) calls.push(call);
  call.arguments = (call.arguments + said).slice(0, ARGUMENTS_MAX);
}

/** Finds the call that a piece belongs to; undefined: it begins one. */
function goesOn(
  calls: HeardCall[],
  { index, id, name }: Pick<HeardCall, 'index' | 'id'> & { name: string | undefined },
): HeardCall | undefined {
  const call = calls.findLast((one) => one.index === index);
  return !name || (id !== '' && call?.id === id) ? call : undefined;
}

function failureOf(error: unknown): ModelFailure {
  if (error instanceof APIUserAbortError) return new ModelFailure('lost', 'ABORTED');
  if (error instanceof APIConnectionTimeoutError) return new ModelFailure('lost', 'TIMEOUT');
  if (error instanceof APIError && error.status) {
    const headers = error.headers as Headers | undefined;
    return failureOfStatus(error.status as number, headers?.get('retry-after'));
  }
  return failureOfCause(error);
}

/** Says what the status of a server means that gave no answer. */
export function failureOfStatus(status: number, retryAfter: string | null | undefined): ModelFailure {
  const isAway = status === 408 || status === 409 || status === 429 || status >= 500;
  return new ModelFailure(isAway ? 'away' : 'refused', `HTTP_${status}`, retryAfterOf(retryAfter));
}

/** Says whether a question never left, or may have been answered. */
export function failureOfCause(error: unknown): ModelFailure {
  const codes = causesOf(error).map((cause) => (cause as { code?: unknown }).code);
  const unsent = codes.find((code) => NEVER_CONNECTED.includes(String(code)));
  if (unsent !== undefined) return new ModelFailure('unsent', String(unsent));
  return new ModelFailure('lost', 'CONNECTION_LOST');
}

function causesOf(error: unknown): object[] {
  const causes: object[] = [];
  for (
    let one = error;
    typeof one === 'object' && one !== null && causes.length < 5;
    one = (one as Error).cause
  ) {
    causes.push(one);
    if (one instanceof AggregateError) causes.push(...(one.errors as object[]));
  }
  return causes;
}

function retryAfterOf(value: string | null | undefined): number | undefined {
  const seconds = Number(value || NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined;
}

/** Numbers of tokens as a server tells them. */
interface ToldUsage {
  prompt_tokens: unknown;
  completion_tokens: unknown;
  prompt_tokens_details?: { cached_tokens?: unknown } | undefined;
}

/** Reads the tokens of a call; where the server has not told them, they are estimated by the length of what was asked and said. */
export function tokensOf(usage: ToldUsage | undefined, asked: object, text: string): Tokens {
  const count = (value: unknown): number =>
    Number.isSafeInteger(value) && Number(value) >= 0 ? Math.min(Number(value), TOKENS_MAX) : 0;
  const estimate = (value: string): number =>
    Math.min(Math.ceil(Buffer.byteLength(value) / BYTES_PER_TOKEN), TOKENS_MAX);
  if (!usage)
    return {
      ...{
        prompt: estimate(JSON.stringify(asked, withoutPictures)),
        completion: estimate(text),
        cached: 0,
        isEstimated: true,
      },
    };
  return {
    ...{ prompt: count(usage.prompt_tokens), completion: count(usage.completion_tokens), isEstimated: false },
    cached: count(usage.prompt_tokens_details?.cached_tokens),
  };
}

const withoutPictures = (_: string, value: unknown): unknown =>
  typeof value === 'string' && value.startsWith('data:image/') ? PICTURE : value;
