import { randomBytes } from 'node:crypto';
import { proto } from '@whiskeysockets/baileys/WAProto/index.js';
import { describeFile, fileOf } from '../content/received-file.js';
import type { MediaStore } from '../media/media-store.js';
import type { ReceivedMessage, SentMessage } from '../people/messages.js';
import { peerName, type Person } from '../people/person.js';
import { unpad } from '../signal/padding.js';
import type { CipherType } from '../signal/signal-device.js';
import { bytesOf, type Stanza } from '../wire/nodes.js';
import { textOfMessage, toJson } from '../content/platform-message.js';
import { describeMessage } from '../content/describe.js';
import type { ReceivedContent } from '../kinds/kinds.js';
import type { Sender } from '../people/sender.js';

/** Decrypts a copy with a person's phone; undefined: it cannot be read. */
export async function readCopy(
  person: Person,
  { person: author, companion }: Sender,
  enc: Stanza,
): Promise<proto.Message | undefined> {
  const ciphertext = bytesOf(enc) ?? Buffer.alloc(0);
  try {
    const type: CipherType = enc.attrs.type === 'pkmsg' ? 'pkmsg' : 'msg';
    const peer = peerName(author, companion.device);
    return proto.Message.decode(unpad(await person.device.decrypt(peer, type, ciphertext)));
  } catch {
    return undefined;
  }
}

/** Adds a message to those that reached a person. */
export function recordReceived(
  store: MediaStore,
  person: Person,
  from: { phone: string; id: string; address: string },
  message: proto.Message,
): ReceivedMessage {
  const received: ReceivedMessage = {
    id: from.id,
    from: from.phone,
    address: from.address,
    text: textOfMessage(message),
    message: toJson(message),
    content: contentOf(store, message),
    receivedAt: new Date().toISOString(),
    duplicates: 0,
    delivered: false,
    read: false,
  };
  person.isContact = true;
  person.pending.delete(`${from.phone}/${from.id}`);
  person.addReceived(received);
  return received;
}

/** Describes a message as the person sees it, with its file fetched and opened. */
function contentOf(store: MediaStore, message: proto.Message): ReceivedContent {
  const file = fileOf(store, message);
  return { ...describeMessage(message), ...(file === undefined ? {} : { media: describeFile(file) }) };
}

/** Adds a message to those that a person wrote, to an account or a group; under this id if there is one. */
export function recordSent(
  author: Person,
  to: string,
  message: proto.Message,
  id?: string | null,
): SentMessage {
  const secret = message.messageContextInfo?.messageSecret;
  const sent: SentMessage = {
    id: id ?? randomBytes(16).toString('hex').toUpperCase(),
    to,
    text: textOfMessage(message),
    status: 'QUEUED',
    deliveries: 0,
    receipts: 0,
    sentAt: new Date().toISOString(),
    ...(secret?.length ? { secret: Buffer.from(secret).toString('base64') } : {}),
  };
  author.sent.set(sent.id, sent);
  return sent;
}
