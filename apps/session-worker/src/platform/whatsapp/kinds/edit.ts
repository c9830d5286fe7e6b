import { keyOf, namingText, type SendingKind } from './kind.js';

/** Kind of a text that replaces the text of an earlier message. */
export const edit: SendingKind = {
  outgoing: (content, message) => ({
    ...namingText(content, message),
    edit: keyOf(content.target, message.to),
  }),
  extras: { additionalAttributes: { edit: '1' } },
};
