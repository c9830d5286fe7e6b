import { isPnUser, jidNormalizedUser, type makeWASocket } from '@whiskeysockets/baileys';
import { NoAnswerError, NotOnPlatformError } from '../platform.js';
import { jidUser } from './addresses.js';

/** The library's socket. */
export type LibrarySocket = ReturnType<typeof makeWASocket>;

/**
 * Gives a text to the library's socket under this message id.
 * @throws NotOnPlatformError
 * @throws NoAnswerError
 */
export async function handOver(sock: LibrarySocket, to: string, text: string, keyId: string): Promise<void> {
  await assertReachable(sock, to);
  await sock.sendMessage(to, { text, linkPreview: null }, { messageId: keyId });
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
