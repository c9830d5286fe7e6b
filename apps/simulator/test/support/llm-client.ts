import { LlmStandIn } from '@svc/testing';
import OpenAI from 'openai';
import type { ChatCompletionChunk, ChatCompletionCreateParamsNonStreaming } from 'openai/resources';
import type { Stack } from './stack.js';

type Request = ChatCompletionCreateParamsNonStreaming;

/** Parts of a stream, put together again. */
export interface Streamed {
  text: string;
  calls: { id?: string; name?: string; arguments: string }[];
  finish: string | null;
  usage: ChatCompletionChunk['usage'];
  /** Error that ended it before its end. */
  error: unknown;
}

/** Client of the stand-in for language models: the official library, with a key of its own. */
export class LlmClient {
  readonly standIn: LlmStandIn;
  readonly library: OpenAI;

  constructor(
    stack: Stack,
    readonly key: string,
  ) {
    const { control, llm } = stack.simulator;
    this.standIn = new LlmStandIn(control, key);
    this.library = new OpenAI({ baseURL: llm, apiKey: key, maxRetries: 0 });
  }

  /** Asks for an answer to a text, or to whatever the request says. */
  ask(content: string, request: Partial<Request> = {}, signal?: AbortSignal) {
    return this.library.chat.completions.create(requestFor(content, request), { signal });
  }

  /** Says the words of the answer to a text. */
  async words(content: string, request: Partial<Request> = {}): Promise<string | null | undefined> {
    return (await this.ask(content, request)).choices[0]?.message.content;
  }

  async stream(content: string, request: Partial<Request> = {}, usage = true): Promise<Streamed> {
    const streamed: Streamed = { text: '', calls: [], finish: null, usage: undefined, error: undefined };
    try {
      const chunks = await this.library.chat.completions.create({
        ...requestFor(content, request),
        stream: true,
        ...(usage ? { stream_options: { include_usage: true } } : {}),
      });
      for await (const chunk of chunks) take(streamed, chunk);
    } catch (error) {
      streamed.error = error;
    }
    return streamed;
  }
}

const requestFor = (content: string, request: Partial<Request>): Request => ({
  model: 'stand-in',
  messages: [{ role: 'user', content }],
  ...request,
});

function take(streamed: Streamed, { choices, usage }: ChatCompletionChunk): void {
  streamed.usage = usage ?? streamed.usage;
  for (const { delta, finish_reason: finish } of choices) {
    streamed.text += delta.content ?? '';
    streamed.finish = finish ?? streamed.finish;
    for (const call of delta.tool_calls ?? []) takeCall(streamed.calls, call);
  }
}

function takeCall(
  calls: Streamed['calls'],
  { index, id, function: asked }: ChatCompletionChunk.Choice.Delta.ToolCall,
): void {
  const call = (calls[index] ??= { id, name: asked?.name, arguments: '' });
  call.arguments += asked?.arguments ?? '';
}
