import { type Fields, keyOf, type ReceivingKind, type SendingKind, text } from './kind.js';

/** An emoji on another message; an empty one takes it back. */
export const reaction: SendingKind & ReceivingKind = {
  outgoing: ({ emoji, target }, { to, acceptedAt }) => ({
    react: { key: keyOf(target, to), text: emoji, senderTimestampMs: acceptedAt.getTime() },
  }),
  // A reaction cannot be answered.
  quoted: () => ({ conversation: '' }),
  incoming: {
    reactionMessage: {
      body: ({ text: emoji, key }) => ({
        type: 'reaction',
        emoji: typeof emoji === 'string' ? emoji : '',
        targetKeyId: text((key as Fields | undefined)?.['id']),
      }),
    },
  },
};
