import { setTimeout as delay } from 'node:timers/promises';

/**
 * Waits until `probe` returns something truthy and returns it; a probe that throws counts as "not yet".
 * @throws Error naming `what` after `timeoutMs` (20 seconds by default).
 */
export async function waitFor<T>(
  what: string,
  probe: () => Promise<T | undefined | null | false> | T | undefined | null | false,
  timeoutMs = 20_000,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  let last: unknown;
  while (performance.now() < deadline) {
    try {
      const value = await probe();
      if (value) return value;
      last = value;
    } catch (error) {
      last = error;
    }
    await delay(20);
  }
  throw new Error(`Waited ${timeoutMs} ms in vain: ${what}`, { cause: last });
}
