import type { Caller } from './caller.js';
import { ApiError, ConnectionError } from './errors.js';
import type { EventPayloads } from './generated/events.js';
import { EventsResource, type StreamEventsQuery } from './generated/resources.js';
import { jittered, pause } from './retry.js';
import { type ServerSentEvent, SseParser } from './sse-parser.js';

/** Event of the log; `payload` follows from `event`. Pass over names that you do not know: there will be more. */
export type SvcEvent = {
  [K in keyof EventPayloads]: {
    id: string;
    event: K;
    createdAt: string;
    payload: EventPayloads[K];
    /** Place to go on from after this event: `after` of the next stream. */
    cursor: string | undefined;
  };
}[keyof EventPayloads];

/** Options of a stream. */
export interface StreamOptions extends StreamEventsQuery {
  /** Ends the stream. */
  signal?: AbortSignal | undefined;
  /** Callback for every connection that is made. */
  onOpen?: (() => void) | undefined;
  /** Callback for every connection that broke, with the time until the next. */
  onReconnect?: ((error: unknown, waitMs: number) => void) | undefined;
}

/** A connection that is silent for so long is dead: the gateway says something every 15 seconds. */
const SILENCE_MS = 45_000;
const LATER_MS = 2_000;

/** The events of the tenant: in pages, and as they happen. */
export class LiveEvents extends EventsResource {
  /**
   * Follows the events as they happen, from now on or from the cursor `after`. Where a connection ends it goes on with the
   * next, from the last event that was handed out: nothing is missed. It ends with `signal`, and throws what no
   * other attempt would change: a key that does not work any more, a cursor that is not kept any more.
   */
  async *stream({ signal, onOpen, onReconnect, ...query }: StreamOptions = {}): AsyncGenerator<
    SvcEvent,
    void,
    undefined
  > {
    const place = { cursor: query.after };
    for (let failures = 0; !signal?.aborted;) {
      const connection = new Connection(this.caller, { ...query, after: place.cursor }, signal, onOpen);
      try {
        for await (const event of connection.events(place)) {
          failures = 0;
          yield event;
        }
      } catch (error) {
        if (signal?.aborted) return;
        if (isFinal(error)) throw error;
        const wait = waitAfter(error, connection.retryMs, failures);
        failures += 1;
        onReconnect?.(error, wait);
        await pause(wait, signal).catch(() => undefined);
      } finally {
        connection.end();
      }
    }
  }
}

/** Computes the wait before the next connection: a moment, the longer the more of them have failed. */
function waitAfter(error: unknown, retryMs = LATER_MS, failures: number): number {
  const asked = error instanceof ApiError ? (error.retryAfterMs ?? retryMs) : retryMs;
  return asked + (failures > 0 ? jittered(failures) : 0);
}

/**
 * Says whether an error ends the stream: also one that is no answer and no broken connection, for a fault is not mended by trying again.
 */
function isFinal(error: unknown): boolean {
  if (error instanceof ApiError) return error.status < 500 && error.status !== 429;
  return !(error instanceof ConnectionError);
}

/** Connection of a stream. */
class Connection {
  private readonly ending = new AbortController();
  private readonly parser = new SseParser();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly caller: Caller,
    private readonly query: StreamEventsQuery,
    private readonly signal: AbortSignal | undefined,
    private readonly onOpen: (() => void) | undefined,
  ) {
    signal?.addEventListener('abort', this.end, { once: true });
  }

  get retryMs(): number | undefined {
    return this.parser.retryMs;
  }

  readonly end = (): void => {
    clearTimeout(this.timer);
    this.ending.abort();
    this.signal?.removeEventListener('abort', this.end);
  };

  /**
   * Yields the events; `place` moves with them. Before an event is handed out the place still is the one before it: whoever stops there has
   * not seen it.
   * @throws ApiError, ConnectionError: every connection ends so.
   */
  async *events(place: { cursor?: string | undefined }): AsyncGenerator<SvcEvent, void, undefined> {
    const headers = { accept: 'text/event-stream', 'cache-control': 'no-store' };
    const { after, ...query } = this.query;
    this.listen();
    const request = { method: 'GET', path: '/v1/events/stream', query, headers };
    const answer = await this.caller
      .open(
        { ...request, headers: { ...headers, ...(after && { 'last-event-id': after }) } },
        this.ending.signal,
      )
      .catch((error: unknown) => this.fail(error));
    this.onOpen?.();
    for await (const found of this.read(answer)) {
      const cursor = found.id ?? place.cursor;
      const event = parseEvent(found, cursor);
      if (event) yield event;
      place.cursor = cursor;
    }
    throw new ConnectionError('The stream of events ended.');
  }

  private async *read({ body }: Response): AsyncGenerator<ServerSentEvent, void, undefined> {
    const reader = body?.getReader();
    while (reader) {
      this.listen();
      const { value, done } = await reader.read().catch((error: unknown) => this.fail(error));
      // The timer does not run while the caller works on an event.
      clearTimeout(this.timer);
      if (done) return;
      yield* this.parser.take(value as Uint8Array);
    }
  }

  private listen(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ending.abort(), SILENCE_MS);
  }

  private fail(cause: unknown): never {
    if (cause instanceof ApiError) throw cause;
    throw new ConnectionError('The stream of events broke.', { cause, timedOut: this.ending.signal.aborted });
  }
}

/** Reads an event of the tenant; undefined for a heartbeat, or a frame about the stream itself. */
function parseEvent({ event, data }: ServerSentEvent, cursor: string | undefined): SvcEvent | undefined {
  if (data === undefined || event.startsWith('stream.')) return undefined;
  return { ...(JSON.parse(data) as SvcEvent), cursor };
}
