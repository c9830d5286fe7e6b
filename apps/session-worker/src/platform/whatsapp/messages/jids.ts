import {
  type AuthenticationCreds,
  isJidGroup,
  isLidUser,
  jidNormalizedUser,
  type SignalRepositoryWithLIDStore,
} from '@whiskeysockets/baileys';
import type { KeyName } from '../../port.js';

/** Whether it is the address of the linked number itself. */
export function isOwn(sender: string, { me }: AuthenticationCreds): boolean {
  return [me?.id, me?.lid].some((jid) => jid !== undefined && jidNormalizedUser(jid) === sender);
}

/** The phone address of a sender. The platform hides numbers behind LIDs: the stanza tells the number, or the library knows it from before, or nobody does. */
export async function phoneAddress(
  sender: string,
  told: string | undefined,
  { lidMapping }: SignalRepositoryWithLIDStore,
): Promise<string> {
  if (!isLidUser(sender)) return sender;
  return jidNormalizedUser(told ?? (await lidMapping.getPNForLID(sender)) ?? sender);
}

/** Sender of a stanza, without device; the group where it comes from one. */
export function senderOf(from = ''): string {
  return isJidGroup(from) ? from : jidNormalizedUser(from);
}

/** The part before the `@`, without device. */
export function jidUser(jid: string): string {
  return jidNormalizedUser(jid).split('@')[0] ?? '';
}

/** The key under which the library keeps the LID of a number. */
export function hiddenAddressKey(address: string): KeyName | undefined {
  const id = /^(\d+)@s\.whatsapp\.net$/.exec(address)?.[1];
  return id === undefined ? undefined : { type: 'lid-mapping', id };
}
