import type { LoggedEvent } from '@svc/contracts';

/** Reason for the end of a stream that its reader did not end; its last frame names it, where there is time for one. */
export type StreamEnd =
  'KEY_ENDED' | 'TENANT_SUSPENDED' | 'SLOW_READER' | 'SHUTTING_DOWN' | 'CURSOR_EXPIRED' | 'INTERNAL';

/** Time that a browser, or another client of server-sent events, waits before it connects again. */
const RETRY_MS = 2_000;

/** Writes the first frame: the wait before the next connection, and the place to go on from should nothing else arrive. */
export function openingFrame(cursor: string): string {
  return `retry: ${RETRY_MS}\n: open\n${idOf(cursor)}\n`;
}

/** Writes one event under its name; JSON has no line breaks, which would end the field. `cursor` left out: not a place to resume at. */
export function eventFrame(event: LoggedEvent, cursor: string | undefined): string {
  return `${idOf(cursor)}event: ${event.event}\ndata: ${JSON.stringify(event)}\n\n`;
}

/**
 * Keeps the connection, and moves the place to resume at: without data it is no event, but its id counts. A reader whose
 * filter lets nothing through would otherwise come back with a cursor that is not kept any more.
 */
export function heartbeatFrame(cursor: string): string {
  return `: still here\n${idOf(cursor)}\n`;
}

/** Writes the last frame of a stream that ends from here. */
export function closingFrame(reason: StreamEnd): string {
  return `event: stream.closing\ndata: ${JSON.stringify({ reason })}\n\n`;
}

function idOf(cursor: string | undefined): string {
  return cursor === undefined ? '' : `id: ${cursor}\n`;
}
