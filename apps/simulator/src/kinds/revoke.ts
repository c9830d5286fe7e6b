import { type KindRules, TargetKeyId } from './parts/kind.js';

const REVOKE_TYPE = 0;
/** The platform's number of a revocation in the stanza; other messages of the protocol carry it, too. */
const REVOKE = '7';

export class RevokeBody {
  @TargetKeyId()
  targetKeyId?: string;
}

export const revoke: KindRules<RevokeBody> = {
  body: RevokeBody,
  required: ['targetKeyId'],
  compose: (_content, { target }) => ({ protocolMessage: { key: target, type: REVOKE_TYPE } }),
  forms: {
    protocolMessage: {
      stanza: ({ editedMessage }) => (editedMessage ? undefined : { type: 'text', edit: REVOKE }),
      describe: ({ editedMessage, key, type }) => {
        const isRevocation = !editedMessage && (type ?? REVOKE_TYPE) === REVOKE_TYPE;
        return isRevocation && key?.id ? { targetKeyId: key.id } : undefined;
      },
    },
  },
};
