import { type KindRules, TargetKeyId, withoutNulls, Words } from './kind.js';

const EDIT_TYPE = 14;
/** The platform's number of an edit in the stanza. */
const EDIT = '1';

export class EditBody {
  @Words()
  text?: string;

  @TargetKeyId()
  targetKeyId?: string;
}

/** An edit carries the new message inside; it is described as that message, under its own kind. */
export const edit: KindRules<EditBody> = {
  body: EditBody,
  required: ['text', 'targetKeyId'],
  compose: ({ text: conversation }, { target }) => ({
    protocolMessage: {
      key: target,
      type: EDIT_TYPE,
      editedMessage: { conversation },
      timestampMs: Date.now(),
    },
  }),
  forms: {
    protocolMessage: {
      stanza: ({ editedMessage }) => (editedMessage ? { type: 'text', edit: EDIT } : undefined),
      describe: ({ editedMessage, key }, inner) =>
        editedMessage ? withoutNulls({ ...inner(editedMessage), targetKeyId: key?.id }) : undefined,
    },
  },
};
