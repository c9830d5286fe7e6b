import type { LoggedEvent } from '@svc/contracts';

/** Why a stream ends that its reader did not end: told in its last frame, where there is time for one. */
export type StreamEnd =
  'KEY_ENDED' | 'TENANT_SUSPENDED' | 'SLOW_READER' | 'SHUTTING_DOWN' | 'CURSOR_EXPIRED' | 'INTERNAL';

/** What a browser, or another client that knows server-sent events, waits before it comes back. */
const RETRY_MS = 2_000;

/** First of all: how soon to come back, and where to go on should nothing else arrive. */
export function openingFrame(cursor: string): string {
  return `retry: ${RETRY_MS}\n: open\n${idOf(cursor)}\n`;
}

/** One event under its name; JSON has no line breaks, which would end the field. `cursor` left out: not a place to resume at. */
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

/** The last frame of a stream that ends from here. */
export function closingFrame(reason: StreamEnd): string {
  return `event: stream.closing\ndata: ${JSON.stringify({ reason })}\n\n`;
}

function idOf(cursor: string | undefined): string {
  return cursor === undefined ? '' : `id: ${cursor}\n`;
}
