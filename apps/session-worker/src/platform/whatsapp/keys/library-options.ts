import { log } from '@svc/service';

/**
 * Caches for the library in place of its own caches, which keep a timer for every socket and never end it. The oldest entry
 * goes when the cache is full; entries have no age, the library deletes what is out of date.
 */
export class BoundedCache {
  private readonly entries = new Map<string, unknown>();

  /** @param worth which keys are kept at all; all of them by default. */
  constructor(
    private readonly limit: number,
    private readonly worth: (key: string) => boolean = () => true,
  ) {}

  get<T>(key: string): T | undefined {
    return this.entries.get(key) as T | undefined;
  }

  set(key: string, value: unknown): void {
    if (!this.worth(key)) return;
    this.entries.delete(key);
    this.entries.set(key, value);
    if (this.entries.size > this.limit) this.entries.delete(this.entries.keys().next().value as string);
  }

  del(key: string): void {
    this.entries.delete(key);
  }

  flushAll(): void {
    this.entries.clear();
  }
}

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
