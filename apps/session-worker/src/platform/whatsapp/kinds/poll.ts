import { type Fields, type IncomingField, type ReceivingKind, type SendingKind, text } from './kind.js';

const incoming: IncomingField = {
  body: ({ name, options }) => ({
    type: 'poll',
    name: text(name),
    options: (Array.isArray(options) ? (options as Fields[]) : []).map(
      (option) => text(option['optionName']) ?? '',
    ),
  }),
};

/** A question with choices. */
export const poll: SendingKind & ReceivingKind = {
  outgoing: ({ poll: { name, options, multiple } }) => ({
    poll: { name, values: options, selectableCount: multiple ? 0 : 1 },
  }),
  extras: { additionalNodes: [{ tag: 'meta', attrs: { polltype: 'creation' }, content: undefined }] },
  quoted: ({ name, options }) => ({
    pollCreationMessageV3: { name, options: options?.map((optionName) => ({ optionName })) },
  }),
  incoming: {
    pollCreationMessage: incoming,
    pollCreationMessageV2: incoming,
    pollCreationMessageV3: incoming,
    pollCreationMessageV5: incoming,
  },
};
