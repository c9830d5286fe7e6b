import { keyOf, type SendingKind } from './kind.js';

/** Takes an earlier message back. */
export const deletion: SendingKind = {
  outgoing: ({ target }, { to }) => ({ delete: keyOf(target, to) }),
  extras: { additionalAttributes: { edit: '7' } },
};
