/** One row of the error catalogue. */
export interface ErrorEntry {
  /** HTTP status of the answer. */
  status: number;
  /** The same call may succeed later without a change by the caller. */
  retryable: boolean;
  /** Level at which a service logs it. */
  log: 'debug' | 'info' | 'warn' | 'error';
  /** Default message: what is wrong, for a person. */
  summary: string;
  /** Remedy of the caller. */
  remedy: string;
}

/** Makes a row of the catalogue. */
export const entry = (
  status: number,
  retryable: boolean,
  log: ErrorEntry['log'],
  summary: string,
  remedy: string,
): ErrorEntry => ({ status, retryable, log, summary, remedy });
