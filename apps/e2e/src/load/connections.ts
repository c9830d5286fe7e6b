/** A linked device was let in, or its connection ended; by the clock of the platform. */
export interface ConnectionEvent {
  phone: string;
  event: 'login' | 'end';
  at: string;
}

/** The figures of some numbers from a moment on. */
export interface WatchFigures {
  /** Longest time without a connection of any number: from the end of one to the login of the next. */
  longestAwayMs: number;
  stillAway: number;
  /** Sessions that connected anew. */
  sessionsMoved: number;
  logins: number;
  mostLoginsOfOne: number;
}

/** Times in milliseconds. */
export interface Span {
  from: number;
  until: number;
}

/**
 * Sums up what became of these numbers, of one device each, in a span of time; the events are in their order. A number
 * that was away when it began counts as away from then on.
 */
export function watchFigures(
  phones: readonly string[],
  events: readonly ConnectionEvent[],
  { from, until }: Span,
): WatchFigures {
  const awaySince = new Map<string, number>(phones.map((phone) => [phone, from]));
  const logins = new Map<string, number>(phones.map((phone) => [phone, 0]));
  let longestAwayMs = 0;
  for (const { phone, event, at } of events) {
    const count = logins.get(phone);
    if (count === undefined) continue;
    const time = Date.parse(at);
    if (event === 'end') {
      awaySince.set(phone, awaySince.get(phone) ?? Math.max(from, time));
      continue;
    }
    longestAwayMs = Math.max(longestAwayMs, time - (awaySince.get(phone) ?? time));
    awaySince.delete(phone);
    if (time >= from) logins.set(phone, count + 1);
  }
  const counts = [...logins.values()];
  return {
    longestAwayMs: Math.max(longestAwayMs, ...[...awaySince.values()].map((since) => until - since)),
    stillAway: awaySince.size,
    sessionsMoved: counts.filter((count) => count > 0).length,
    logins: counts.reduce((sum, count) => sum + count, 0),
    mostLoginsOfOne: Math.max(...counts),
  };
}
