import type { proto } from '@whiskeysockets/baileys';
import type { DecodedContent } from '../decoded-content.js';
import { boundedId } from '../jids.js';
import type { SealLabel } from './opening.js';

/** The platform's name of a change that is sealed by the secret of what it changes. */
export const SEALED_CHANGE = 'secretEncryptedMessage';

/** Purposes by the platform's numbers; those that the library does not know are of polls, as far as anybody has said. */
const LABELS: Partial<Record<number, SealLabel>> = { 1: 'Event Edit', 2: 'Message Edit' };
const NOTHING = new Uint8Array();

/** The platform's name of a vote in a poll. */
export const VOTE = 'pollUpdateMessage';

/** Reads a vote, which is sealed by the secret of its poll; undefined for one that names none. */
export function sealedVote(
  message: proto.Message.IPollUpdateMessage | null | undefined,
): DecodedContent | undefined {
  const { pollCreationMessageKey, vote, senderTimestampMs } = message ?? {};
  const id = pollCreationMessageKey?.id;
  if (!id) return undefined;
  return {
    ...{ type: VOTE, content: {}, viewOnce: false },
    sealed: {
      ...{ id, label: 'Poll Vote' },
      payload: vote?.encPayload ?? NOTHING,
      iv: vote?.encIv ?? NOTHING,
    },
    vote: {
      participant: pollCreationMessageKey.participant ?? undefined,
      at: senderTimestampMs ? Number(senderTimestampMs) : undefined,
    },
  };
}

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
