import { encodeWAMessage, proto, unpadRandomMax16 } from '@whiskeysockets/baileys';

type GroupKey = proto.Message.ISenderKeyDistributionMessage;

/** Reads the author's key for a group, where a padded plaintext brings it. One that cannot be read brings none. */
export function groupKeyOf(plaintext: Uint8Array): GroupKey | undefined {
  try {
    const decoded = proto.Message.decode(unpadRandomMax16(plaintext));
    const key = (decoded.deviceSentMessage?.message ?? decoded).senderKeyDistributionMessage;
    return key?.groupId ? key : undefined;
  } catch {
    return undefined;
  }
}

/** Takes the group's key out of the message: the key store has it, sealed, and the journal does not need it. */
export function withoutGroupKey(plaintext: Uint8Array): Uint8Array {
  const decoded = proto.Message.decode(unpadRandomMax16(plaintext));
  const message = decoded.deviceSentMessage?.message ?? decoded;
  message.senderKeyDistributionMessage = null;
  return encodeWAMessage(decoded);
}
