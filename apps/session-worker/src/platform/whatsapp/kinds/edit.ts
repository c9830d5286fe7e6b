import { keyOf, type SendingKind } from './kind.js';

/** Kind of a text that replaces the text of an earlier message. */
export const edit: SendingKind = {
  outgoing: ({ text, mentions, target }, { to }) => ({
    ...{ text, linkPreview: null, mentions },
    edit: keyOf(target, to),
  }),
  extras: { additionalAttributes: { edit: '1' } },
};
