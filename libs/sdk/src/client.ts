import { Caller, type CallOptions } from './caller.js';
import { LiveEvents } from './event-stream.js';
import { MessagesResource, Resources } from './generated/resources.js';
import type { DryRun, QueuedMessage, SendMessageRequest } from './generated/schemas.js';

/** Options of a client. */
export interface SvcClientOptions {
  /** API key; left out: the variable `SVC_API_KEY` of the environment. */
  apiKey?: string | undefined;
  /** Address of the gateway, without `/v1`. Left out: the variable `SVC_BASE_URL`. */
  baseUrl?: string | undefined;
  /** Function in place of the `fetch` of Node. */
  fetch?: typeof fetch | undefined;
  /** Time limit of each attempt, with its answer; 30 seconds by default. */
  timeoutMs?: number | undefined;
  /** Most repeats of a call that failed and is safe to repeat; 3 by default. */
  maxRetries?: number | undefined;
}

/** A send without `dryRun` has a job; one with it has none. */
export class Messages extends MessagesResource {
  /**
   * Sends a message. Without a `clientMessageId` of yours the call makes one: its repeats, of which you do not know, are the
   * same send. Give your own where your software may come to send the same thing twice.
   */
  override send(
    body: SendMessageRequest & { dryRun?: false | undefined },
    options?: CallOptions,
  ): Promise<QueuedMessage>;
  override send(body: SendMessageRequest & { dryRun: true }, options?: CallOptions): Promise<DryRun>;
  override send(body: SendMessageRequest, options?: CallOptions): Promise<QueuedMessage | DryRun>;
  override send(body: SendMessageRequest, options?: CallOptions): Promise<QueuedMessage | DryRun> {
    return super.send(body, options);
  }
}

/** The API of one tenant: every route of the description, as `client.<resource>.<what>`. */
export class SvcClient extends Resources {
  declare readonly events: LiveEvents;
  declare readonly messages: Messages;

  constructor(options: SvcClientOptions = {}) {
    const { env } = process;
    const {
      apiKey = env['SVC_API_KEY'],
      baseUrl = env['SVC_BASE_URL'],
      timeoutMs = 30_000,
      maxRetries = 3,
    } = options;
    if (!apiKey) throw new TypeError('SvcClient needs an API key: apiKey, or the variable SVC_API_KEY.');
    if (!baseUrl)
      throw new TypeError(
        'SvcClient needs the address of the gateway: baseUrl, or the variable SVC_BASE_URL.',
      );
    const caller = new Caller({
      ...{ apiKey, timeoutMs, maxRetries, fetch: options.fetch ?? globalThis.fetch },
      baseUrl: new URL(baseUrl).href.replace(/\/+$/, ''),
    });
    super(caller);
    this.events = new LiveEvents(caller);
    this.messages = new Messages(caller);
  }
}
