import { setTimeout as delay } from 'node:timers/promises';
import type { PairingCode } from '@svc/contracts';
import { NoAnswerError } from '../../errors.js';
import type { Stanza } from '../messages/stanzas.js';
import type { LibrarySocket } from '../messages/outgoing.js';

/** Lifetime of one QR code on the platform, in ms; all of a socket make the three minutes that one view is worth. */
export const QR_LIFETIME_MS = 30_000;
/** QR codes that the platform hands out to one socket. */
const QR_CODES = 6;
/** The platform ends a connection that has shown its last QR code, and with it the code that it was asked for. */
const LIFETIME_MS = QR_CODES * QR_LIFETIME_MS - 5_000;

const ANSWER_TIMEOUT_MS = 10_000;
const TAKEN = 'CB:iq,type:result,link_code_companion_reg';
const REFUSED = 'CB:iq,type:error';

/**
 * Asks for a code to type on the phone of this number. The library does not wait for the platform's answer: without it nobody
 * can type the code.
 * @throws NoAnswerError
 */
export async function requestPairingCode(sock: LibrarySocket, phone: string): Promise<PairingCode> {
  const answer = answerOf(sock);
  const [code, taken] = await Promise.all([sock.requestPairingCode(phone), answer]);
  if (!taken) throw new NoAnswerError();
  return { code, expiresAt: new Date(Date.now() + LIFETIME_MS).toISOString() };
}

/** Waits whether the platform takes the request. */
async function answerOf({ ws }: LibrarySocket): Promise<boolean> {
  const limit = new AbortController();
  let taken: (() => void) | undefined;
  let refused: ((stanza: Stanza) => void) | undefined;
  const verdict = new Promise<boolean>((resolve) => {
    ws.on(TAKEN, (taken = () => resolve(true)));
    ws.on(REFUSED, (refused = () => resolve(false)));
  });
  const late = delay(ANSWER_TIMEOUT_MS, false, limit).catch(() => false);
  const outcome = await Promise.race([verdict, late]);
  limit.abort();
  if (taken) ws.off(TAKEN, taken);
  if (refused) ws.off(REFUSED, refused);
  return outcome;
}
