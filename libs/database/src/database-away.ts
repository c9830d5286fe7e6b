import { isOutdated } from './preparing-client.js';

/**
 * SQLSTATE classes and codes of a server that takes no statements now: connection exceptions (08), disk full and too
 * many connections (53), shutdown, crash and start-up (57P), a primary that has become a standby (25006).
 */
const AWAY_STATES = /^(08|53100|53300|57P|25006)/;

/** Codes of the operating system: the server's host cannot be reached, or the connection broke. */
const NETWORK_CODES = new Set([
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
]);

/** Words of `pg` and its pool, whose own errors have no code. */
const AWAY_WORDS = new RegExp(
  [
    '^Connection terminated',
    '^timeout exceeded when trying to connect',
    '^timeout expired',
    '^Query read timeout',
    '^Client .* is not queryable',
  ].join('|'),
);

/**
 * Says whether an error means that the database is away, and not that a statement was wrong: the same statement may succeed once it is
 * back. So does a transaction whose prepared statement was outdated by a migration. Deadlocks, statements that took too long and a pool that this process itself has closed are none.
 */
export function isDatabaseAway(error: unknown): boolean {
  const thrown = driverErrorOf(error);
  if (isOutdated(thrown)) return true;
  const { code, message } = thrown as { code?: unknown; message?: unknown };
  if (typeof code === 'string') return AWAY_STATES.test(code) || NETWORK_CODES.has(code);
  return typeof message === 'string' && AWAY_WORDS.test(message);
}

/**
 * Unwraps what the driver has thrown: TypeORM wraps it while a statement runs, and passes it on while it connects. It goes by
 * shape, not by class: errors of Node's own modules belong to another realm where code runs in a VM, as tests do.
 */
function driverErrorOf(error: unknown): object {
  if (typeof error !== 'object' || error === null) return {};
  const { driverError } = error as { driverError?: unknown };
  return typeof driverError === 'object' && driverError !== null ? driverError : error;
}
