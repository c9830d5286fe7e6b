import { invalidField, MessageReceived, type PublicEvent } from '@svc/contracts';

/**
 * Checks the filter of an endpoint that is bound to a session: without messages the session would be in external mode and nobody would
 * answer. @throws AppError `VALIDATION_FAILED`
 */
export function checkBoundFilter(events: readonly PublicEvent[]): void {
  const { name } = MessageReceived;
  if (events.length === 0 || events.includes(name)) return;
  throw invalidField(
    'events',
    `events of an endpoint that is bound to a session must be empty or contain ${name}`,
  );
}
