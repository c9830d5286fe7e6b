import { startTimeLimit, type TimeLimit } from '@svc/service';
import type { Dispatcher } from 'undici';
import { failureOfCause, failureOfStatus, ModelFailure } from '../answers/model.js';
import { unreadable } from '../brains/post.js';

/** Most bytes that a server may answer with in all, and most requests: a server may ask for pages, and ask back, without end. */
const MOST_BYTES = 1_000_000;
const MOST_REQUESTS = 16;

/**
 * An exchange with the server of a stranger: all requests of it together have one time limit, and may read so many bytes. It follows no redirect, and
 * keeps no stream open beside the requests.
 */
export class Exchange {
  private readonly limit: TimeLimit;
  private failure: ModelFailure | undefined;
  private bytes = 0;
  private requests = 0;

  /** @param parent aborts the exchange. */
  constructor(
    private readonly dispatcher: Dispatcher,
    timeoutMs: number,
    private readonly parent?: AbortSignal,
  ) {
    this.limit = startTimeLimit(timeoutMs, parent);
  }

  /** Aborts when the exchange has failed, or has ended. */
  get signal(): AbortSignal {
    return this.limit.signal;
  }

  /** Makes one request; any answer but a good one fails the exchange. @throws ModelFailure */
  readonly fetch = async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    // A server that has no stream for what it wants to say by itself answers so.
    if (init.method === 'GET') return new Response(null, { status: 405 });
    this.requests += 1;
    if (this.requests > MOST_REQUESTS) throw this.fail(new ModelFailure('lost', 'TOO_MANY_REQUESTS'));
    const { dispatcher, signal } = this;
    const guarded = { ...init, signal, dispatcher, redirect: 'manual' } as object;
    const response = await fetch(url, guarded).catch((error: unknown) => {
      throw signal.aborted ? this.failureOf(error) : this.fail(failureOfCause(error));
    });
    const { ok, status, headers } = response;
    if (!ok) throw this.fail(failureOfStatus(status, headers.get('retry-after')));
    const body = response.body?.pipeThrough(this.counting());
    return new Response(body ?? null, { status, headers });
  };

  /** Says why the exchange has failed. */
  failureOf(error: unknown): ModelFailure {
    if (this.failure) return this.failure;
    if (error instanceof ModelFailure) return error;
    if (this.parent?.aborted) return new ModelFailure('lost', 'ABORTED');
    return this.signal.aborted ? new ModelFailure('lost', 'TIMEOUT') : unreadable();
  }

  /** Ends the exchange, and whatever is still under way of it. */
  end(): void {
    this.limit.abort();
    this.limit.clear();
  }

  private fail(failure: ModelFailure): ModelFailure {
    this.failure ??= failure;
    this.limit.abort(this.failure);
    return this.failure;
  }

  private counting(): TransformStream<Uint8Array, Uint8Array> {
    return new TransformStream({
      transform: (chunk, controller) => {
        this.bytes += chunk.length;
        if (this.bytes > MOST_BYTES) throw this.fail(new ModelFailure('lost', 'ANSWER_TOO_LARGE'));
        controller.enqueue(chunk);
      },
    });
  }
}
