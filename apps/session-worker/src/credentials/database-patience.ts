import { setTimeout as delay } from 'node:timers/promises';

const RETRY_MS = 250;
const PATIENCE_MS = 30_000;
/** SQLSTATE classes of a server that is away: connection exception, too many connections, shutdown and start-up. */
const AWAY = /^(08|53300|57P)/;

/**
 * Runs a statement again while the database is away, for half a minute. The platform library takes a failed key read for
 * an unreadable message and refuses it; the platform then keeps the message until the next login.
 */
export async function patiently<T>(statement: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await statement();
    } catch (error) {
      if (!isAway(error) || performance.now() > deadline) throw error;
      await delay(RETRY_MS);
    }
  }
}

/** Whether an error says that the database is away, and not that a statement was wrong. */
export function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { driverError = error } = error as { driverError?: { code?: unknown; message?: string } };
  const { code, message } = driverError as { code?: unknown; message?: string };
  if (typeof code === 'string') return AWAY.test(code) || /^E[A-Z]+$/.test(code);
  return /connection|timeout/i.test(message ?? '');
}
