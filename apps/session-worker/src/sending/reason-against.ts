import type { FailureCode } from '@svc/contracts';
import type { PlatformSocket } from '../platform/port.js';
import type { Ledger, LedgerMessage } from './ledger/ledger.js';
import type { SendWindow } from './send-window.js';

/**
 * Says why a message must not go out any more, as far as messages that came from the platform say so: it answers where the owner has written on
 * the phone, or changes what was deleted there.
 */
export async function reasonAgainst(
  message: LedgerMessage,
  socket: PlatformSocket,
  ledger: Pick<Ledger, 'isDeleted' | 'isOvertaken'>,
  window: Pick<SendWindow, 'isOutOfMode'>,
): Promise<FailureCode | undefined> {
  if (await isOvertaken(message, socket, ledger)) return 'OVERTAKEN';
  if (await changesDeleted(message, socket, ledger)) return 'VALIDATION_FAILED';
  // The mode may have changed while the messages were waited for.
  return window.isOutOfMode(message) ? 'BOT_MODE_CHANGED' : undefined;
}

/** Says whether the owner has written on the phone since. Messages of a time at which the session was away come with its first ones, so these are waited for. */
async function isOvertaken(
  message: LedgerMessage,
  socket: PlatformSocket,
  ledger: Pick<Ledger, 'isOvertaken'>,
): Promise<boolean> {
  if (!message.unlessWrittenSince) return false;
  await socket.caughtUp();
  return ledger.isOvertaken(message);
}

/**
 * Says whether a message is to edit or delete one that the owner has deleted on the phone since: the gateway knew nothing of that when it
 * took the message. What was deleted while the session was away comes with the first messages of the connection, so these are waited for.
 */
async function changesDeleted(
  { content: { type, target }, sessionId }: LedgerMessage,
  socket: PlatformSocket,
  ledger: Pick<Ledger, 'isDeleted'>,
): Promise<boolean> {
  if (!target || (type !== 'edit' && type !== 'delete')) return false;
  await socket.caughtUp();
  return ledger.isDeleted(sessionId, target.keyId);
}
