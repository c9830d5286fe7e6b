import { setTimeout as delay } from 'node:timers/promises';
import type { PairingCode } from '@svc/contracts';
import { getBinaryNodeChild } from '@whiskeysockets/baileys';
import { DeviceNameRefusedError, NoAnswerError } from '../../errors.js';
import type { LibrarySocket } from '../messages/outgoing.js';
import type { Stanza } from '../stanzas/stanzas.js';

/**
 * Lifetime of a code, in ms. The platform ends a connection that links nothing after some three minutes, and with it the code that it was
 * asked for.
 */
const LIFETIME_MS = 175_000;

const ANSWER_TIMEOUT_MS = 10_000;
const TAKEN = 'CB:iq,type:result,link_code_companion_reg';
const REFUSED = 'CB:iq,type:error';
/** Error number with which the platform refuses a device whose name it does not know. */
const BAD_REQUEST = '400';

// Library patch: pairing-code-answer
/**
 * Asks for a code to type on the phone of this number. The library does not wait for the platform's answer: without it nobody
 * can type the code.
 * @throws NoAnswerError
 * @throws DeviceNameRefusedError
 */
export async function requestPairingCode(sock: LibrarySocket, phone: string): Promise<PairingCode> {
  const answer = answerOf(sock);
  const [code, refusal] = await Promise.all([sock.requestPairingCode(phone), answer]);
  if (refusal === BAD_REQUEST) throw new DeviceNameRefusedError();
  if (refusal !== undefined) throw new NoAnswerError();
  return { code, expiresAt: new Date(Date.now() + LIFETIME_MS).toISOString() };
}

/** Waits whether the platform takes the request: undefined, or the number of its error, or that it came too late. */
async function answerOf({ ws }: LibrarySocket): Promise<string | undefined> {
  const limit = new AbortController();
  let taken: (() => void) | undefined;
  let refused: ((stanza: Stanza) => void) | undefined;
  const verdict = new Promise<string | undefined>((resolve) => {
    ws.on(TAKEN, (taken = () => resolve(undefined)));
    ws.on(
      REFUSED,
      (refused = (stanza) => resolve(getBinaryNodeChild(stanza as never, 'error')?.attrs['code'] ?? '')),
    );
  });
  const late = delay(ANSWER_TIMEOUT_MS, 'late', limit).catch(() => 'late');
  const outcome = await Promise.race([verdict, late]);
  limit.abort();
  if (taken) ws.off(TAKEN, taken);
  if (refused) ws.off(REFUSED, refused);
  return outcome;
}
