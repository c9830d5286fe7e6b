import type { LoggedEvent, Scope } from '@svc/contracts';
import { allows } from '../auth/authorization.js';
import { RESTRICTED_FIELDS } from '../auth/restricted-fields.js';
import type { LogPart } from './log-reader.js';

/** Leaves out of an event what a key with these scopes may not read. */
export function eventFor(scopes: readonly Scope[], event: LoggedEvent): LoggedEvent {
  const restricted = RESTRICTED_FIELDS[event.event];
  if (!restricted) return event;
  const shown = Object.entries(event.payload).filter(([name]) => {
    const needed = restricted[name];
    return needed === undefined || allows(scopes, needed);
  });
  return { ...event, payload: Object.fromEntries(shown) };
}

/** Leaves out of a part of the log what a key with these scopes may not read. */
export function partFor(scopes: readonly Scope[], part: LogPart): LogPart {
  return {
    ...part,
    events: part.events.map(({ event, position }) => ({ event: eventFor(scopes, event), position })),
  };
}
