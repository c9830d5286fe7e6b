import type { Receiver, Receivers } from '../endpoints/endpoint-directory.js';

/** What routing looks at in an event. */
export interface RoutableEvent {
  kind: string;
  sessionId: string | null;
}

/**
 * Who gets an event (specification, "Endpoint routing"): tenant-wide endpoints by their filter, bound ones their own
 * session's only. A paused endpoint keeps getting deliveries, they are held; a disabled one is not subscribed at all.
 */
export function receiversOf(event: RoutableEvent, receivers: Receivers): Receiver[] {
  return [...receivers.values()].filter(
    ({ state, sessionId, events }) =>
      state !== 'DISABLED' &&
      (sessionId === null || sessionId === event.sessionId) &&
      (events.length === 0 || events.includes(event.kind)),
  );
}
