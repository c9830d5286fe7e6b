import { AppError } from '@svc/contracts';
import { allows, type Caller } from '../auth/authorization.js';

const SCOPE = 'messages:read';

/** Says whether a caller may replay whatever there is: what was said comes again with it. */
export function mayReplayAll({ scopes }: Caller): boolean {
  return allows(scopes, SCOPE);
}

/**
 * Refuses a replay of events of messages to a caller that may not read messages. An endpoint hears what comes after its address was given, a
 * replay would tell it what was said before.
 * @param event undefined: all events.
 * @throws AppError `FORBIDDEN`
 */
export function assertMayReplay(caller: Caller, event: string | undefined): void {
  if (mayReplayAll(caller) || event?.startsWith('message.') === false) return;
  const what = event ?? 'all events; name one with event';
  throw new AppError('FORBIDDEN', `The key lacks the scope ${SCOPE}, which a replay of ${what} needs.`, {
    scope: SCOPE,
  });
}
