import { setTimeout as delay } from 'node:timers/promises';
import { NoAnswerError } from '../../port.js';
import type { Stanza } from './stanzas.js';
import type { LibrarySocket } from '../messages/hand-over.js';

const ANSWER_TIMEOUT_MS = 10_000;
const TAKEN = 'CB:iq,type:result,link_code_companion_reg';
const REFUSED = 'CB:iq,type:error';

/**
 * A code to type on the phone of this number. The library does not wait for the platform's answer: without it nobody
 * can type the code.
 * @throws NoAnswerError
 */
export async function requestPairingCode(sock: LibrarySocket, phone: string): Promise<string> {
  const answered = answer(sock);
  const [code, taken] = await Promise.all([sock.requestPairingCode(phone), answered]);
  if (!taken) throw new NoAnswerError();
  return code;
}

/** Whether the platform takes the request. */
async function answer({ ws }: LibrarySocket): Promise<boolean> {
  const limit = new AbortController();
  let taken: (() => void) | undefined;
  let refused: ((stanza: Stanza) => void) | undefined;
  const heard = new Promise<boolean>((resolve) => {
    ws.on(TAKEN, (taken = () => resolve(true)));
    ws.on(REFUSED, (refused = () => resolve(false)));
  });
  const late = delay(ANSWER_TIMEOUT_MS, false, limit).catch(() => false);
  const outcome = await Promise.race([heard, late]);
  limit.abort();
  if (taken) ws.off(TAKEN, taken);
  if (refused) ws.off(REFUSED, refused);
  return outcome;
}
