import { createHash } from 'node:crypto';
import { bareAddress, digitsOf, isHidden } from '@svc/contracts';
import type { AuthenticationCreds, SignalRepositoryWithLIDStore } from '@whiskeysockets/baileys';
import type { KeyName } from '../../port.js';

/** Reads an address as the platform spells it, without device; empty where it is none of ours. */
export function addressOf(jid: string | undefined): string {
  return bareAddress(jid) ?? '';
}

/** Says whether an address is that of the linked number itself. */
export function isOwn(sender: string, { me }: AuthenticationCreds): boolean {
  return [me?.id, me?.lid].some((jid) => jid !== undefined && addressOf(jid) === sender);
}

/** Finds the phone address of a sender. The platform hides numbers behind LIDs: the stanza tells the number, or the library knows it from before, or nobody does. */
export async function phoneAddress(
  sender: string,
  named: string | undefined,
  { lidMapping }: SignalRepositoryWithLIDStore,
): Promise<string> {
  if (!isHidden(sender)) return sender;
  return addressOf(named ?? (await lidMapping.getPNForLID(sender)) ?? sender);
}

/** Names the key under which the library keeps the LID of a number. */
export function hiddenAddressKey(address: string): KeyName | undefined {
  const id = digitsOf(address);
  return id === undefined ? undefined : { type: 'lid-mapping', id };
}

/** Ids of the platform have 32 characters at most. */
const MOST_ID_CHARS = 200;

/** Names a message by its id; by the hash of one that no index keeps. */
export function boundedId(id: string): string {
  return id.length <= MOST_ID_CHARS ? id : createHash('sha256').update(id).digest('hex');
}
