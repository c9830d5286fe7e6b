import type { LoggerService } from '@nestjs/common';
import { pino, type Logger } from 'pino';

let root: Logger = pino({ level: 'silent' });

/** Returns the process's logger: JSON lines on standard output. Never give it a body, a key, a QR code or message text. */
export function log(): Logger {
  return root;
}

/** Fields of PostgreSQL errors that never hold values of a row. */
const DRIVER_FIELDS = ['code', 'severity', 'schema', 'table', 'constraint', 'routine'] as const;

/**
 * Describes an error for the log. A failed statement carries its parameters (message text, sealed keys) and PostgreSQL
 * quotes values in its words, so of such an error only names and codes are kept.
 */
export function describeError(error: unknown): object {
  return describe(error, new Set());
}

/** @param described errors of the chain so far: a cause may lead back to one of them. */
function describe(error: unknown, described: Set<Error>): object {
  if (!(error instanceof Error)) return { type: typeof error };
  if (described.has(error)) return { type: error.name };
  described.add(error);
  const driver =
    (error as { driverError?: unknown }).driverError ?? ('severity' in error ? error : undefined);
  if (driver && typeof driver === 'object') {
    const fields = DRIVER_FIELDS.filter((field) => field in driver);
    return {
      type: error.name,
      ...Object.fromEntries(fields.map((field) => [field, driver[field as never]])),
    };
  }
  const { code } = error as { code?: unknown };
  const cause = error.cause === undefined ? {} : { cause: describe(error.cause, described) };
  return {
    type: error.name,
    message: error.message,
    ...(code ? { code } : {}),
    stack: error.stack,
    ...cause,
  };
}

/**
 * Gives PostgreSQL's words for a refusal without what stands in quotes or brackets there: values, and names with them. For a line that is to
 * say why content was refused; everywhere else names and codes do (`describeError`).
 */
export function refusalWords(error: unknown): string | undefined {
  const { driverError = error } = Object(error) as { driverError?: unknown };
  const { message, severity } = Object(driverError) as { message?: unknown; severity?: unknown };
  if (typeof message !== 'string' || severity === undefined) return undefined;
  return message.replace(/["(].*[")]/su, '…');
}

/** Sets up the process's logger; called once by `startService`. */
export function setUpLogger(name: string, level: string): Logger {
  root = pino({
    name,
    level,
    base: { name, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: describeError },
  });
  return root;
}

/**
 * Takes `console.*` away from libraries. libsignal prints whole session objects, private keys included, through it
 * (`docs/platform-protocol.md`), so nothing of what is printed is kept: only that something was.
 */
export function silenceConsole(): void {
  const swallow =
    (method: string) =>
    (...args: unknown[]): void => {
      root.debug(
        { method, arguments: args.length },
        'a library wrote to the console; its words are not logged',
      );
    };
  for (const method of ['log', 'info', 'warn', 'error', 'debug', 'trace', 'dir'] as const) {
    // eslint-disable-next-line no-console -- the one place that takes it away
    console[method] = swallow(method);
  }
}

/** Writes Nest's own words to the process's logger. */
export class NestLogger implements LoggerService {
  log(message: unknown, ...more: unknown[]): void {
    this.write('debug', message, more);
  }

  warn(message: unknown, ...more: unknown[]): void {
    this.write('warn', message, more);
  }

  error(message: unknown, ...more: unknown[]): void {
    this.write('error', message, more);
  }

  debug(message: unknown, ...more: unknown[]): void {
    this.write('debug', message, more);
  }

  private write(level: 'debug' | 'warn' | 'error', message: unknown, more: unknown[]): void {
    const context = more.at(-1);
    const fields = typeof context === 'string' ? { context } : {};
    if (message instanceof Error) root[level]({ ...fields, err: message }, 'framework error');
    else root[level](fields, String(message));
  }
}
