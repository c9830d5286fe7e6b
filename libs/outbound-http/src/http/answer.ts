import { DESTINATION_NOT_ALLOWED } from '../addresses/address-guard.js';

/** What came of one POST. */
export interface Answer {
  /** Status the receiver answered; null when there was none. */
  status: number | null;
  /** What went wrong; null after a 2xx. */
  error: string | null;
  /** First bytes of the answer's body, for the log. */
  head: Buffer;
  durationMs: number;
}

/** 4xx that say "try again" rather than "never": they neither count towards the pause nor leave the run standing. */
const TEMPORARY_4XX = new Set([408, 425, 429]);

/** Error code of a status; null for a 2xx, the only success. */
export function statusError(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400 ? 'REDIRECT_NOT_FOLLOWED' : `HTTP_${status}`;
}

/** Whether an answer is one of the permanent 4xx of which five in a row pause the endpoint. */
export function isPermanent4xx(status: number | null): boolean {
  return status !== null && status >= 400 && status < 500 && !TEMPORARY_4XX.has(status);
}

/** Error code of a connection that the receiver closed before it answered. */
export const CONNECTION_CLOSED = 'CONNECTION_CLOSED';

const CODES: Record<string, string> = {
  [DESTINATION_NOT_ALLOWED]: DESTINATION_NOT_ALLOWED,
  ECONNREFUSED: 'CONNECTION_REFUSED',
  ECONNRESET: CONNECTION_CLOSED,
  EPIPE: CONNECTION_CLOSED,
  UND_ERR_CONNECT_TIMEOUT: 'TIMEOUT',
  ETIMEDOUT: 'TIMEOUT',
  ENOTFOUND: 'NAME_NOT_RESOLVED',
  EAI_AGAIN: 'NAME_NOT_RESOLVED',
  INVALID_ANSWER: 'INVALID_ANSWER',
};

/** Error code of a POST that got no answer. The words of the error stay inside: they may hold an address. */
export function transportError(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return transportError(error.errors[0]);
  const { code } = (error ?? {}) as { code?: unknown };
  if (typeof code !== 'string') return 'CONNECTION_FAILED';
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code)) return 'TLS_FAILED';
  return CODES[code] ?? 'CONNECTION_FAILED';
}

/** No more file descriptors, buffers or memory on this machine: what the receiver would have said is not known. */
const OUR_FAULTS = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM']);

/** Whether a POST failed before it was sent, for a reason the receiver has no part in. */
export function isOurFault(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isOurFault);
  return OUR_FAULTS.has(String((error as { code?: unknown } | null)?.code));
}
