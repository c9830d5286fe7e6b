import { randomUUID } from 'node:crypto';
import { ApiError, ConnectionError, errorOf } from './errors.js';
import { Paged } from './paged.js';
import { delayBefore, isUncertain, pause } from './retry.js';

/** Options of one call. */
export interface CallOptions {
  /** Ends the call, with the waits between its attempts. */
  signal?: AbortSignal | undefined;
  /** Time limit of each attempt, with the answer; instead of that of the client. */
  timeoutMs?: number | undefined;
  /** Most repeats, instead of that of the client. */
  maxRetries?: number | undefined;
}

/** Address of the API, and the options of all calls. */
export interface CallerOptions {
  apiKey: string;
  /** URL of the API, without a slash at the end. */
  baseUrl: string;
  fetch: typeof fetch;
  timeoutMs: number;
  maxRetries: number;
}

/** A call of the API. */
export interface ApiRequest {
  method: string;
  path: string;
  query?: object;
  /** An object goes as JSON, a form as it is. */
  body?: object;
  headers?: Record<string, string>;
  /** Field of the body by which a repeat of the call is recognised. */
  idempotencyField?: string;
  /** Fields of the body that make something new each time they are set. */
  notRepeatableWith?: string[];
}

/** Methods that may be repeated: twice is the same as once. */
const REPEATABLE = new Set(['GET', 'PUT', 'DELETE']);
/** Test whether an error is the answer after all, because an attempt before may have done its work. */
type IsDone = (error: unknown, request: ApiRequest) => boolean;
const never: IsDone = () => false;

/** Makes the calls: with the key, within the time, and again where that helps and is safe. */
export class Caller {
  constructor(private readonly options: CallerOptions) {}

  /** Calls for an answer that is JSON. */
  json<T>(request: ApiRequest, options?: CallOptions): Promise<T> {
    return this.call(request, options, never, async (response) => (await response.json()) as T);
  }

  /** Calls for an answer without content. */
  nothing(request: ApiRequest, options?: CallOptions): Promise<void> {
    return this.call(request, options, isDeleted, () => Promise.resolve());
  }

  /** Calls for an answer that is a file: the caller reads its body in his own time. */
  file(request: ApiRequest, options?: CallOptions): Promise<Response> {
    return this.call(request, options, never, (response) => Promise.resolve(response));
  }

  pages<T, P extends { items: T[]; nextCursor: string | null } = { items: T[]; nextCursor: string | null }>(
    { cursor: name, query, ...request }: ApiRequest & { cursor: string },
    options?: CallOptions,
  ): Paged<T, P> {
    return new Paged<T, P>((cursor) =>
      this.json<P>({ ...request, query: { ...query, ...(cursor && { [name]: cursor }) } }, options),
    );
  }

  /**
   * Makes one attempt, whose answer is not read yet; `signal` alone bounds it.
   * @throws ApiError, ConnectionError
   */
  async open({ method, path, query, body, headers }: ApiRequest, signal?: AbortSignal): Promise<Response> {
    const { apiKey, baseUrl, fetch } = this.options;
    const isForm = body instanceof FormData;
    const response = await fetch(baseUrl + path + searchOf(query), {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        accept: 'application/json',
        ...(body && !isForm ? { 'content-type': 'application/json' } : {}),
        ...headers,
      },
      ...(body ? { body: isForm ? body : JSON.stringify(body) } : {}),
      // The key goes nowhere else.
      redirect: 'error',
      ...(signal ? { signal } : {}),
    });
    if (!response.ok) throw await errorOf(response);
    return response;
  }

  private async call<T>(
    request: ApiRequest,
    options: CallOptions = {},
    isDone: IsDone,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const { maxRetries = this.options.maxRetries, signal } = options;
    // The key is made once: all attempts are the same send.
    const once = withIdempotency(request);
    const repeatable = isRepeatable(once);
    let uncertain = false;
    for (let again = 0; ; again += 1) {
      try {
        return await this.attempt(once, options, read);
      } catch (error) {
        if (uncertain && isDone(error, once)) return undefined as T;
        uncertain ||= isUncertain(error);
        const wait = again < maxRetries ? delayBefore(error, again, repeatable) : undefined;
        if (wait === undefined) throw error;
        await pause(wait, signal);
      }
    }
  }

  private async attempt<T>(
    request: ApiRequest,
    { signal, timeoutMs = this.options.timeoutMs }: CallOptions,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    signal?.throwIfAborted();
    const ending = new AbortController();
    const end = (): void => ending.abort(signal?.reason);
    const timer = setTimeout(() => ending.abort(), timeoutMs);
    signal?.addEventListener('abort', end, { once: true });
    try {
      return await read(await this.open(request, ending.signal));
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof ApiError) throw error;
      const what = `${request.method} ${request.path}`;
      if (!ending.signal.aborted) throw new ConnectionError(`${what}: no answer.`, { cause: error });
      const words = `${what}: no answer within ${timeoutMs} ms.`;
      throw new ConnectionError(words, { cause: error, timedOut: true });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
    }
  }
}

function isRepeatable({ method, body = {}, idempotencyField, notRepeatableWith = [] }: ApiRequest): boolean {
  if (idempotencyField !== undefined) return true;
  const fields = new Map<string, unknown>(Object.entries(body));
  return REPEATABLE.has(method) && !notRepeatableWith.some((field) => Boolean(fields.get(field)));
}

/** The thing is gone; a route that is not there would be `NOT_FOUND` alone. */
const isDeleted: IsDone = (error, { method }) =>
  method === 'DELETE' &&
  error instanceof ApiError &&
  error.status === 404 &&
  error.code.endsWith('_NOT_FOUND');

function withIdempotency(request: ApiRequest): ApiRequest {
  const { idempotencyField: field, body } = request;
  if (field === undefined) return request;
  return { ...request, body: { [field]: randomUUID(), ...withoutUndefined(body ?? {}) } };
}

function withoutUndefined(fields: object): object {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  );
}

function searchOf(query: object = {}): string {
  const defined = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const search = new URLSearchParams(defined.map(([name, value]): [string, string] => [name, String(value)]));
  return defined.length > 0 ? `?${search.toString()}` : '';
}
