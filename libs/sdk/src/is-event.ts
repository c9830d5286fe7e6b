import type { EventPayloads } from './generated/events.js';

/** Says whether an event, of a webhook or of a stream, is of this kind; then its payload is what such an event carries. */
export function isEvent<K extends keyof EventPayloads, E extends { event: string; payload: object }>(
  event: E,
  name: K,
): event is E & { event: K; payload: EventPayloads[K] } {
  return event.event === name;
}
