import {
  isJidGroup,
  isLidUser,
  jidNormalizedUser,
  type SignalRepositoryWithLIDStore,
} from '@whiskeysockets/baileys';
import type { Credentials } from '../keys/credentials.js';

/** Whether it is the address of the linked number itself. */
export function isOwn(sender: string, { me }: Credentials): boolean {
  return [me?.id, me?.lid].some((jid) => jid !== undefined && jidNormalizedUser(jid) === sender);
}

/** The platform hides numbers behind LIDs: told in the stanza, or known from before, or unknown. */
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
