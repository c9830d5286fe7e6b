import { setTimeout as delay } from 'node:timers/promises';
import { ApiError, ConnectionError } from './errors.js';

const FIRST_MS = 250;
const LONGEST_MS = 8_000;
/** Longest wait inside of a call, in ms: a daily limit says hours. */
const MOST_PATIENCE_MS = 60_000;
const UNCERTAIN = new Set([502, 503, 504]);

/**
 * Computes the wait before the call is made again; undefined: it is not. A call that is not safe to repeat is repeated only where it was
 * refused for its rate, because then nothing has happened. Nobody comes back earlier than was asked.
 *
 * @param again how often it was made again already
 */
export function delayBefore(error: unknown, again: number, repeatable: boolean): number | undefined {
  if (!isWorthIt(error, repeatable)) return undefined;
  const asked = error instanceof ApiError ? error.retryAfterMs : undefined;
  if (asked !== undefined && asked > MOST_PATIENCE_MS) return undefined;
  return (asked ?? 0) + jittered(again);
}

/**
 * Computes a wait that doubles from a quarter of a second, between half and all of it, so that those who failed together do not come
 * together.
 */
export function jittered(again: number): number {
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** again) * (0.5 + Math.random() / 2);
}

/** Says whether the call may have been carried out although it failed. */
export function isUncertain(error: unknown): boolean {
  return error instanceof ConnectionError || (error instanceof ApiError && UNCERTAIN.has(error.status));
}

function isWorthIt(error: unknown, repeatable: boolean): boolean {
  if (isUncertain(error)) return repeatable;
  return error instanceof ApiError && error.status === 429;
}

/** Waits; ends early, by throwing, when the signal is aborted. */
export async function pause(ms: number, signal?: AbortSignal | undefined): Promise<void> {
  await delay(ms, undefined, signal ? { signal } : {});
}
