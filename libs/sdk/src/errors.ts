import type { HttpErrorBody } from './generated/schemas.js';

/** Codes of the API; a newer gateway may answer with one that this version does not know. */
export type ErrorCode = HttpErrorBody['code'];

/** Error that the API answered. Compare by `code`. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** HTTP status. */
  readonly status: number;
  readonly code: ErrorCode;
  /** Extra data, e.g. the fields that are wrong. */
  readonly meta: Readonly<Record<string, unknown>>;
  /** Quote it when you ask about this answer. */
  readonly requestId: string | undefined;
  /** Time to wait before the call is worth another try, where the answer says so. */
  readonly retryAfterMs: number | undefined;

  constructor(
    status: number,
    { code, message, meta, requestId }: Partial<HttpErrorBody>,
    retryAfterMs?: number | undefined,
  ) {
    super(message ?? `The API answered with status ${status}.`);
    this.status = status;
    this.code = code ?? 'INTERNAL';
    this.meta = meta ?? {};
    this.requestId = requestId;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Error of a call without an answer: the gateway was not reached, the connection broke, or the time was over. `cause` says more. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  /** The time of `timeoutMs` was over. */
  readonly timedOut: boolean;

  constructor(message: string, { cause, timedOut = false }: { cause?: unknown; timedOut?: boolean } = {}) {
    super(message, { cause });
    this.timedOut = timedOut;
  }
}

/** Makes the error that an answer with this status stands for, whatever answered it: a proxy may be in between. */
export async function errorOf(response: Response): Promise<ApiError> {
  const { status, headers } = response;
  const retryAfterMs = retryAfterOf(headers.get('retry-after'), Date.now());
  const requestId = headers.get('x-request-id') ?? undefined;
  try {
    const body = (await response.json()) as Partial<HttpErrorBody>;
    return new ApiError(status, { ...(requestId && { requestId }), ...body }, retryAfterMs);
  } catch {
    return new ApiError(status, requestId ? { requestId } : {}, retryAfterMs);
  }
}

/** Reads `Retry-After` in milliseconds: seconds, or a date. */
export function retryAfterOf(header: string | null, now: number): number | undefined {
  if (!header) return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
