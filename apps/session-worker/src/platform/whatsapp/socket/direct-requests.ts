import { digitsOf, isGroup } from '@svc/contracts';
import type { WAMessageKey } from '@whiskeysockets/baileys';
import { NotOnPlatformError } from '../../errors.js';
import type { ReceivedMessage } from '../../messages.js';
import type { PlatformSocket } from '../../port.js';
import { addressOf } from '../stanzas/jids.js';
import type { Calls } from '../calls/calls.js';
import type { Linking } from '../linking/linking.js';
import type { LibrarySocket } from '../messages/outgoing.js';
import type { Presence } from '../presence/presence.js';
import { type AccountAddresses, answerTo } from './account-addresses.js';
import type { FailureScope } from './watchdog.js';

/** Parts of a socket that carry out requests. */
interface Doers {
  accounts: AccountAddresses;
  calls: Calls;
  presence: Presence;
  linking: Linking;
}

/** Makes the answers to requests that a socket carries out immediately or not at all. */
export function directRequests(
  sock: LibrarySocket,
  scope: FailureScope,
  { accounts, calls, presence, linking }: Doers,
): Pick<
  PlatformSocket,
  | 'requestPairingCode'
  | 'passkey'
  | 'lookUp'
  | 'addressesOf'
  | 'markRead'
  | 'rejectCall'
  | 'setAlwaysOnline'
  | 'typing'
> {
  return {
    requestPairingCode: (phone) => scope.run(() => linking.requestPairingCode(phone)),
    passkey: {
      answer: (assertion) => scope.run(() => linking.passkey.answer(assertion)),
      confirm: (code) => scope.run(() => linking.passkey.confirm(code)),
      giveUp: () => scope.run(() => linking.passkey.fail('GIVEN_UP')),
    },
    lookUp: (phone) => scope.run(() => accounts.lookUp(phone)),
    addressesOf: (contact) =>
      scope.run(async () => {
        const { lidMapping } = sock.signalRepository;
        const hidden = digitsOf(contact) ? await lidMapping.getLIDForPN(contact) : undefined;
        return hidden ? [contact, addressOf(hidden)] : [contact];
      }),
    markRead: (messages) =>
      scope.run(async () => {
        // The settings say whether the senders may see it: the library asks by itself, and fails at an answer that does not come.
        await answerTo(sock.fetchPrivacySettings());
        await sock.readMessages(messages.map(keyOf));
      }),
    rejectCall: (callId) => scope.run(() => calls.reject(callId)),
    setAlwaysOnline: (alwaysOnline) => scope.run(() => presence.setAlwaysOnline(alwaysOnline)),
    typing: (to, state, isWanted = always) =>
      scope.run(async () => {
        const address = isGroup(to) ? to : await accountOf(accounts, to);
        if (address !== undefined && (await isWanted())) await presence.show(state, address);
      }),
  };
}

const always = (): Promise<boolean> => Promise.resolve(true);

/** Finds the account of a person; undefined where the platform does not know it. */
async function accountOf(accounts: AccountAddresses, to: string): Promise<string | undefined> {
  try {
    return await accounts.of(to);
  } catch (error) {
    if (error instanceof NotOnPlatformError) return undefined;
    throw error;
  }
}

/** Makes the platform's name of a message. In a group the sender stands behind the group's address (inbound-record.ts). */
function keyOf({ sender, keyId }: ReceivedMessage): WAMessageKey {
  const [remoteJid = '', participant] = sender.split('|');
  return { remoteJid, id: keyId, ...(participant ? { participant } : {}) };
}
