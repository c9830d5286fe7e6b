import { S_WHATSAPP_NET } from '@whiskeysockets/baileys';
import { NoAnswerError } from '../../../errors.js';
import type { LibrarySocket } from '../../messages/outgoing.js';
import type { Stanza } from '../../stanzas/stanzas.js';
import { IqRefusedError } from './ceremony.js';

/** Longest wait for an answer, in ms: an answer of the browser takes two, and its caller waits. */
const TIMEOUT_MS = 8_000;

/**
 * Asks the platform a question of a ceremony, once.
 * @throws IqRefusedError
 * @throws NoAnswerError
 */
export async function askPlatform(
  sock: LibrarySocket,
  type: 'get' | 'set',
  content: Stanza,
): Promise<Stanza> {
  const attrs = { xmlns: 'md', type, to: S_WHATSAPP_NET };
  let answer: Stanza | undefined;
  try {
    answer = (await sock.query({ tag: 'iq', attrs, content: [content as never] }, TIMEOUT_MS)) as
      Stanza | undefined;
  } catch (error) {
    // The library puts the platform's number there; its own errors have none.
    const { data } = error as { data?: unknown };
    if (typeof data === 'number') throw new IqRefusedError(data);
    throw new NoAnswerError();
  }
  if (!answer) throw new NoAnswerError();
  return answer;
}
