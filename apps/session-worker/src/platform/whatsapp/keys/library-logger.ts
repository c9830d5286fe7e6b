import { log } from '@svc/service';

type LogCall = (fields: unknown, words?: string) => void;

/** What the platform library wants to log with. */
export interface LibraryLogger {
  level: string;
  child(fields: Record<string, unknown>): LibraryLogger;
  trace: LogCall;
  debug: LogCall;
  info: LogCall;
  warn: LogCall;
  error: LogCall;
}

/** Logs nothing of the library but the fixed words of its warnings: it logs key material and message text. */
export function quietLogger(): LibraryLogger {
  const drop = (): void => undefined;
  const keep: LogCall = (_fields, words) => {
    if (typeof words === 'string') log().debug({ library: 'baileys' }, words);
  };
  const logger: LibraryLogger = {
    level: 'silent',
    child: () => logger,
    trace: drop,
    debug: drop,
    info: drop,
    warn: keep,
    error: keep,
  };
  return logger;
}
