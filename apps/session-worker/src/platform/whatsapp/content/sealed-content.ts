import type { proto } from '@whiskeysockets/baileys';
import type { DecodedContent } from './decoded-content.js';
import { boundedId } from '../stanzas/jids.js';

/** Purposes of words that are sealed by the secret of an earlier message: a part of their key. */
export type SealLabel = 'Poll Vote' | 'Message Edit' | 'Event Edit' | 'Poll Edit';

/** Words of a message that are sealed by the secret of an earlier one. */
export interface Sealed {
  /** Id of the earlier message, as the platform wrote it. */
  id: string;
  label: SealLabel;
  payload: Uint8Array;
  iv: Uint8Array;
}

/** The platform's name of a change that is sealed by the secret of what it changes. */
export const SEALED_CHANGE = 'secretEncryptedMessage';

/** Purposes by the platform's numbers; those that the library does not know are of polls, as far as anybody has said. */
const LABELS: Partial<Record<number, SealLabel>> = { 1: 'Event Edit', 2: 'Message Edit' };
const NOTHING = new Uint8Array();

/** The platform's name of a vote in a poll. */
const VOTE = 'pollUpdateMessage';

/** Reads a vote, which is sealed by the secret of its poll; undefined for one that names none. */
function sealedVote(
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
function sealedChange(
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

/** Readers of what is sealed, by the platform's names. */
export const SEALED: ReadonlyMap<string, (message: proto.IMessage) => DecodedContent | undefined> = new Map([
  [SEALED_CHANGE, ({ secretEncryptedMessage }) => sealedChange(secretEncryptedMessage)],
  [VOTE, ({ pollUpdateMessage }) => sealedVote(pollUpdateMessage)],
]);
