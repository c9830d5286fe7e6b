/**
 * Jitter only ever makes a retry later: never before its delay, at most this much after it. A retry begins within 5 % of its delay: the
 * rest is for what comes after the clock, from the timer to the POST.
 */
const MAX_JITTER = 0.04;

/**
 * Delay between the end of an attempt that failed and the next one; undefined when none is left.
 * @param failed number of the attempt that failed, from 1.
 * @param delaysMs delay before each attempt, the first one included.
 * @param random from 0 (inclusive) to 1.
 */
export function retryDelay(
  failed: number,
  delaysMs: readonly number[],
  random: number = Math.random(),
): number | undefined {
  const delay = delaysMs[failed];
  return delay === undefined ? undefined : Math.ceil(delay * (1 + random * MAX_JITTER));
}
