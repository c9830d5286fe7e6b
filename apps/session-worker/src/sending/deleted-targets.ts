import type { PlatformSocket } from '../platform/port.js';
import type { Ledger, LedgerMessage } from './ledger/ledger.js';

/**
 * Says whether a message is to edit or delete one that the owner has deleted on the phone since: the gateway knew nothing of that when it
 * took the message. What was deleted while the session was away comes with the first messages of the connection, so these are waited for.
 */
export async function changesDeleted(
  { content: { type, target }, sessionId }: LedgerMessage,
  socket: PlatformSocket,
  ledger: Pick<Ledger, 'isDeleted'>,
): Promise<boolean> {
  if (!target || (type !== 'edit' && type !== 'delete')) return false;
  await socket.caughtUp();
  return ledger.isDeleted(sessionId, target.keyId);
}
