import { proto } from '@whiskeysockets/baileys/WAProto/index.js';
import { type KindRules, TargetKeyId, withoutNulls, Words } from './parts/kind.js';
import { Sealed, type SealedBody } from './parts/sealed-body.js';

const EDIT_TYPE = 14;
/** The platform's number of an edit in the stanza. */
const EDIT = '1';

export class EditBody {
  @Words()
  text?: string;

  @TargetKeyId()
  targetKeyId?: string;

  @Sealed()
  sealed?: SealedBody;
}

/** The platform's number of an edit that is sealed. */
const SEALED_EDIT = 2;

/**
 * An edit carries the new message inside; it is described as that message, under its own kind. One that is sealed has the same inside of the
 * seal, and is announced as a message.
 */
export const edit: KindRules<EditBody> = {
  body: EditBody,
  required: ['text', 'targetKeyId'],
  compose: ({ text: conversation, sealed }, { target, seal }) => {
    const protocolMessage = {
      ...{ key: target, type: EDIT_TYPE },
      editedMessage: { conversation },
      timestampMs: Date.now(),
    };
    if (!sealed || !seal) return { protocolMessage };
    const words = Buffer.from(proto.Message.encode({ protocolMessage }).finish());
    const sealedWords = seal('Message Edit', words);
    return {
      secretEncryptedMessage: { targetMessageKey: target, secretEncType: SEALED_EDIT, ...sealedWords },
    };
  },
  forms: {
    protocolMessage: {
      stanza: ({ editedMessage }) => (editedMessage ? { type: 'text', edit: EDIT } : undefined),
      describe: ({ editedMessage, key }, inner) =>
        editedMessage ? withoutNulls({ ...inner(editedMessage), targetKeyId: key?.id }) : undefined,
    },
    secretEncryptedMessage: { stanza: () => ({ type: 'text' }) },
  },
};
