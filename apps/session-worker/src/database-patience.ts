import { setTimeout as delay } from 'node:timers/promises';

const RETRY_MS = 250;
const PATIENCE_MS = 30_000;
/** SQLSTATE classes: connection exception, too many connections, shutdown and start-up; deadlock and its kind. */
const PASSING = /^(08|53300|57P|40)/;

/**
 * Runs a statement again while the database is away or a deadlock undid it, for half a minute. The platform library takes a failed key read for
 * an unreadable message and refuses it; the platform then keeps the message until the next login.
 */
export async function patiently<T>(statement: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await statement();
    } catch (error) {
      if (!isPassing(error) || performance.now() > deadline) throw error;
      await delay(RETRY_MS);
    }
  }
}

/** Whether an error says that the database is away or asks for another try, and not that a statement was wrong. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { driverError = error } = error as { driverError?: { code?: unknown; message?: string } };
  const { code, message } = driverError as { code?: unknown; message?: string };
  if (typeof code === 'string') return PASSING.test(code) || /^E[A-Z]+$/.test(code);
  return /connection|timeout/i.test(message ?? '');
}
