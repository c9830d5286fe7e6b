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
  const found: Receiver[] = [];
  for (const receiver of receivers.values()) if (isFor(event, receiver)) found.push(receiver);
  return found;
}

function isFor({ kind, sessionId }: RoutableEvent, receiver: Receiver): boolean {
  if (receiver.state === 'DISABLED') return false;
  if (receiver.sessionId !== null && receiver.sessionId !== sessionId) return false;
  return receiver.events.length === 0 || receiver.events.includes(kind);
}
