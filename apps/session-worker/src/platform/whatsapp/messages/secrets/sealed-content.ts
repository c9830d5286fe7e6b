import type { proto } from '@whiskeysockets/baileys';
import type { DecodedContent } from '../decoded-content.js';
import { boundedId } from '../jids.js';
import type { SealLabel } from './opening.js';

/** The platform's name of a change that is sealed by the secret of what it changes. */
export const SEALED_CHANGE = 'secretEncryptedMessage';

/** Purposes by the platform's numbers; those that the library does not know are of polls, as far as anybody has said. */
const LABELS: Partial<Record<number, SealLabel>> = { 1: 'Event Edit', 2: 'Message Edit' };
const NOTHING = new Uint8Array();

/** Reads an edit that is sealed by the secret of the message that it changes; undefined for one that names none. */
export function sealedChange(
  message: proto.Message.ISecretEncryptedMessage | null | undefined,
): DecodedContent | undefined {
  const { targetMessageKey, encPayload, encIv, secretEncType } = message ?? {};
  const id = targetMessageKey?.id;
  if (!id) return undefined;
  const label = LABELS[secretEncType ?? 0] ?? 'Poll Edit';
  return {
    ...{ type: SEALED_CHANGE, content: {}, viewOnce: false },
    change: { kind: 'EDITED', keyId: boundedId(id) },
    sealed: { ...{ id, label }, payload: encPayload ?? NOTHING, iv: encIv ?? NOTHING },
  };
}
