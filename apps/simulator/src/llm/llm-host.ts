import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { log } from '@svc/service';
import type { CallLog } from './call-log.js';
import { type Giver, GIVERS } from './givers.js';
import { LlmError } from './llm-error.js';
import type { LlmKeys } from './llm-keys.js';
import { answerError, OpenCall } from './open-call.js';
import type { LlmCallKind } from './rules.js';

const LLM_PATH = '/llm/v1';
const KINDS: Record<string, LlmCallKind> = {
  [`POST ${LLM_PATH}/chat/completions`]: 'chat',
  [`POST ${LLM_PATH}/audio/transcriptions`]: 'transcription',
  [`GET ${LLM_PATH}/models`]: 'models',
};
const KEY = /^Bearer (\S{1,100})$/;
const LARGEST_BODY_BYTES = 32 * 1024 * 1024;
/** Longer than callers keep an idle connection: none meets one that closes. */
const KEEP_ALIVE_MS = 75_000;

/** This class answers as a provider of language models does, by the rules of the caller's key. */
export class LlmHost {
  private readonly server: Server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    response.on('error', () => undefined);
    this.receive(request, response).catch((error: unknown) => answerError(response, error));
  });

  constructor(
    private readonly keys: LlmKeys,
    private readonly calls: CallLog,
    /** Givers of further paths, which answer as `chat` by their beginnings. */
    private readonly brains: Readonly<Record<string, Giver>> = {},
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
    const { kind, give } = this.routeOf(`${request.method} ${request.url?.split('?')[0]}`);
    const call = new OpenCall(this.keys.use(key), kind, response, this.calls);
    try {
      await give(call, await bodyOf(request), request.headers['content-type'] ?? '');
    } catch (error) {
      if (!(error instanceof LlmError || call.isOver))
        log().error({ err: error }, 'a call of the stand-in failed');
      call.refuse(error);
    }
  }

  /** @throws LlmError where there is no such path */
  private routeOf(route: string): { kind: LlmCallKind; give: Giver } {
    const kind = KINDS[route];
    if (kind) return { kind, give: GIVERS[kind] };
    const path = Object.keys(this.brains).find((start) => route.startsWith(`POST ${start}`));
    const give = path === undefined ? undefined : this.brains[path];
    if (!give) throw new LlmError(404, 'there is no such path');
    return { kind: 'chat', give };
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
