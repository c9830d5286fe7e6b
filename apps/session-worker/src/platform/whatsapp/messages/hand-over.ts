import { isJidGroup, isPnUser, jidNormalizedUser, type makeWASocket } from '@whiskeysockets/baileys';
import { NoAnswerError, NotInGroupError, NotOnPlatformError, type OutgoingMessage } from '../../port.js';
import { jidUser } from './jids.js';
import { messageOf, stanzaExtras } from './outgoing-message.js';

/** The library's socket. */
export type LibrarySocket = ReturnType<typeof makeWASocket>;

/** Codes with which the platform answers a question about a group that is none of the session's. */
const NO_GROUP_OF_OURS = [401, 403, 404];

/**
 * Gives a message to the library's socket under its id.
 * @throws NotOnPlatformError
 * @throws NotInGroupError
 * @throws NoAnswerError
 */
export async function handOver(sock: LibrarySocket, outgoing: OutgoingMessage): Promise<void> {
  const { to, keyId, content } = outgoing;
  const message = await messageOf(outgoing, sock.authState.creds);
  if (!isJidGroup(to)) await assertReachable(sock, to);
  try {
    await sock.relayMessage(to, message, { messageId: keyId, ...stanzaExtras(content) });
  } catch (error) {
    // To send to a group the library asks who belongs to it.
    const { data } = error as { data?: unknown };
    if (isJidGroup(to) && NO_GROUP_OF_OURS.includes(Number(data))) throw new NotInGroupError();
    throw error;
  }
}

/**
 * A message to somebody whose devices the library could not learn goes out without a copy for anybody, and the platform
 * takes it: it would count as sent. The answer is kept, so that the hand-over itself does not ask again.
 * @throws NotOnPlatformError
 * @throws NoAnswerError
 */
async function assertReachable(sock: LibrarySocket, to: string): Promise<void> {
  const own = jidNormalizedUser(sock.authState.creds.me?.id);
  const devices = await sock.getUSyncDevices([own, to], true, false);
  if (devices.some(({ user }) => user === jidUser(to))) return;
  const found = isPnUser(to) ? await sock.onWhatsApp(to) : undefined;
  if (found?.length === 0) throw new NotOnPlatformError();
  if (!found && isPnUser(to)) throw new NoAnswerError();
  throw new Error('The platform did not tell which devices the recipient has.');
}
