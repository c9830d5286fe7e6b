import {
  type IncomingField,
  namingText,
  type ReceivingKind,
  type SendingKind,
  text as textIn,
} from './kind.js';

const incoming: IncomingField = { body: ({ text }) => ({ type: 'text', text: textIn(text) ?? '' }) };

/** A text. */
export const text: SendingKind & ReceivingKind = {
  outgoing: namingText,
  quoted: ({ text }) => ({ conversation: text ?? '' }),
  incoming: { conversation: incoming, extendedTextMessage: incoming },
};
