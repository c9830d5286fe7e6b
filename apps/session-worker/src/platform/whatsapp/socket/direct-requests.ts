import { isPnUser, jidNormalizedUser, type WAMessageKey } from '@whiskeysockets/baileys';
import type { FailureScope } from './failure-scope.js';
import { NoAnswerError, type PlatformSocket, type ReceivedMessage } from '../../port.js';
import type { LibrarySocket } from '../messages/hand-over.js';
import { requestPairingCode } from './pairing-code.js';

/** What a socket does at once or not at all. */
export function atOnce(
  sock: LibrarySocket,
  scope: FailureScope,
): Pick<PlatformSocket, 'requestPairingCode' | 'lookUp' | 'addressesOf' | 'markRead' | 'typing'> {
  return {
    requestPairingCode: (phone) => scope.run(() => requestPairingCode(sock, phone)),
    lookUp: (phone) =>
      scope.run(async () => {
        const found = await answered(sock.onWhatsApp(phone));
        return found.find(({ exists }) => exists)?.jid ?? null;
      }),
    addressesOf: (contact) =>
      scope.run(async () => {
        const { lidMapping } = sock.signalRepository;
        const hidden = isPnUser(contact) ? await lidMapping.getLIDForPN(contact) : undefined;
        return hidden ? [contact, jidNormalizedUser(hidden)] : [contact];
      }),
    markRead: (messages) =>
      scope.run(async () => {
        // Whether the senders may see it: the library asks by itself, and trips over an answer that does not come.
        await answered(sock.fetchPrivacySettings());
        await sock.readMessages(messages.map(keyOf));
      }),
    typing: (to, state) => scope.run(() => sock.sendPresenceUpdate(state, to)),
  };
}

/** In a group the sender stands behind the group's address (inbound-record.ts). */
function keyOf({ sender, keyId }: ReceivedMessage): WAMessageKey {
  const [remoteJid = '', participant] = sender.split('|');
  return { remoteJid, id: keyId, ...(participant ? { participant } : {}) };
}

/** The library gives back nothing, or trips over it, where the platform did not answer. */
async function answered<T>(question: Promise<T | undefined>): Promise<T> {
  const answer = await question.catch(() => undefined);
  if (answer === undefined) throw new NoAnswerError();
  return answer;
}
