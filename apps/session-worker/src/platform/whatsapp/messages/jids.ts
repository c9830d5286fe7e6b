import {
  type AuthenticationCreds,
  isJidGroup,
  isLidUser,
  jidNormalizedUser,
  type SignalRepositoryWithLIDStore,
} from '@whiskeysockets/baileys';
import type { KeyName } from '../../port.js';

/** Tells whether it is the address of the linked number itself. */
export function isOwn(sender: string, { me }: AuthenticationCreds): boolean {
  return [me?.id, me?.lid].some((jid) => jid !== undefined && jidNormalizedUser(jid) === sender);
}

/** Finds the phone address of a sender. The platform hides numbers behind LIDs: the stanza tells the number, or the library knows it from before, or nobody does. */
export async function phoneAddress(
  sender: string,
  named: string | undefined,
  { lidMapping }: SignalRepositoryWithLIDStore,
): Promise<string> {
  if (!isLidUser(sender)) return sender;
  return jidNormalizedUser(named ?? (await lidMapping.getPNForLID(sender)) ?? sender);
}

/** Reads the sender of a stanza, without device; the group where it comes from one. */
export function senderOf(from = ''): string {
  return isJidGroup(from) ? from : jidNormalizedUser(from);
}

/** Reads the part before the `@`, without device. */
export function jidUser(jid: string): string {
  return jidNormalizedUser(jid).split('@')[0] ?? '';
}

/** Names the key under which the library keeps the LID of a number. */
export function hiddenAddressKey(address: string): KeyName | undefined {
  const id = /^(\d+)@s\.whatsapp\.net$/.exec(address)?.[1];
  return id === undefined ? undefined : { type: 'lid-mapping', id };
}
