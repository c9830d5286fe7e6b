import type { StatusReason } from '@svc/contracts';

/** What to do when a socket has closed. */
export interface CloseVerdict {
  /** `again`: at once, it belongs to the course of things. `later`: with back-off. `stop`: not by ourselves. */
  next: 'again' | 'later' | 'stop' | 'logged-out';
  reason: StatusReason;
}

const VERDICTS: Record<number, CloseVerdict> = {
  401: { next: 'logged-out', reason: 'UNLINKED' },
  403: { next: 'stop', reason: 'PLATFORM_REFUSED' },
  408: { next: 'later', reason: 'KEEP_ALIVE_TIMEOUT' },
  411: { next: 'stop', reason: 'PLATFORM_REFUSED' },
  428: { next: 'later', reason: 'CONNECTION_LOST' },
  // Somebody else logged in with these credentials: the new owner of the partition. Never reconnect on it.
  440: { next: 'stop', reason: 'REPLACED' },
  515: { next: 'again', reason: 'RESTART_REQUIRED' },
};

/** Verdict on a close code of the platform library (docs/platform-protocol.md, 11). */
export function verdictOn(code: number): CloseVerdict {
  const known = VERDICTS[code];
  if (known) return known;
  return { next: 'later', reason: code >= 500 ? 'PLATFORM_ERROR' : 'CONNECTION_REFUSED' };
}

const FIRST_MS = 250;
const LONGEST_MS = 30_000;

/** Wait before reconnect number `attempt` (from 1): doubling, with full jitter above half. `random` in [0, 1). */
export function reconnectDelayMs(attempt: number, random: number): number {
  const ceiling = Math.min(LONGEST_MS, FIRST_MS * 2 ** (attempt - 1));
  return Math.round(ceiling / 2 + (random * ceiling) / 2);
}

const STEADY_MS = 120_000;

/** Sockets in a row that were found not to work, when one more was, so long after it had opened. */
export function troublesAfter(before: number, livedMs: number): number {
  return livedMs > STEADY_MS ? 0 : before + 1;
}
