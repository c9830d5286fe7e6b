const TYPES: Record<number, string> = {
  401: 'authentication_error',
  403: 'permission_error',
  429: 'rate_limit_error',
};
const CODES: Record<number, string> = {
  401: 'invalid_api_key',
  404: 'not_found',
  429: 'rate_limit_exceeded',
};

/** Parts of an error that say more than its status. */
export interface LlmErrorDetails {
  code?: string;
  /** Field that is wrong. */
  param?: string;
  retryAfterSeconds?: number;
}

/** An error that a call is answered with, in the words of the providers' API. */
export class LlmError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly details: LlmErrorDetails = {},
  ) {
    super(message);
  }

  get headers(): Record<string, string> {
    const { retryAfterSeconds } = this.details;
    return retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  }

  get body(): object {
    const { status, message } = this;
    const { code = CODES[status] ?? null, param = null } = this.details;
    const type = TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'server_error');
    return { error: { message, type, param, code } };
  }
}

/** Refuses a request unless a rule about one of its fields holds. @throws LlmError 400 */
export function must(holds: boolean, param: string, rule: string): asserts holds {
  if (!holds) throw new LlmError(400, `${param} ${rule}`, { code: 'invalid_value', param });
}
