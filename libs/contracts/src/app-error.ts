import { ERROR_CATALOGUE, type ErrorCode } from './errors/errors.js';

/** Extra data of an error body: JSON values only, never a secret, key material or message text. */
export type ErrorMeta = Record<string, unknown>;

/** Body of an `AppError` between services and, with `requestId` added, to the customer. */
export interface ErrorBody {
  code: ErrorCode;
  message: string;
  meta: ErrorMeta;
}

/**
 * The one error class of the project. Rules throw it; the translators in `libs/service` turn it into an HTTP
 * body or an RPC error. Compare by `code`, never by `instanceof` across a process border.
 */
export class AppError extends Error {
  override readonly name = 'AppError';

  constructor(
    readonly code: ErrorCode,
    message: string = ERROR_CATALOGUE[code].summary,
    readonly meta: ErrorMeta = {},
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }

  /** Returns the HTTP status of the code, from the catalogue. */
  get status(): number {
    return ERROR_CATALOGUE[this.code].status;
  }

  /** Says whether the same call may succeed later: consumers nak instead of dead-lettering. */
  get retryable(): boolean {
    return ERROR_CATALOGUE[this.code].retryable;
  }

  /** Returns the part that crosses a process border: neither stack nor cause. */
  toBody(): ErrorBody {
    return { code: this.code, message: this.message, meta: this.meta };
  }

  /** Reads what `toBody` wrote; anything else (a foreign or older error) becomes `INTERNAL`. */
  static fromBody(body: unknown): AppError {
    if (!isErrorBody(body)) return new AppError('INTERNAL');
    return new AppError(body.code, body.message, body.meta ?? {});
  }
}

function isErrorBody(body: unknown): body is ErrorBody {
  if (typeof body !== 'object' || body === null) return false;
  const { code, message } = body as Partial<ErrorBody>;
  return typeof code === 'string' && Object.hasOwn(ERROR_CATALOGUE, code) && typeof message === 'string';
}
