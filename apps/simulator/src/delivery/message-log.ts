import { proto } from '@whiskeysockets/baileys/WAProto/index.js';
import { describeFile, fileOf } from '../content/received-file.js';
import type { MediaStore } from '../media/media-store.js';
import type { ReceivedMessage } from '../people/messages.js';
import { peerName, type Person } from '../people/person.js';
import { unpad } from '../signal/padding.js';
import type { CipherType } from '../signal/signal-device.js';
import { bytesOf, type Stanza } from '../wire/nodes.js';
import { textOfMessage, toJson } from '../content/content.js';
import { describeMessage } from '../content/describe.js';
import type { ReceivedContent } from '../content/kinds.js';
import type { Sender } from '../outbound/outbound.js';

/** What a person's phone reads in a copy that was encrypted for it; undefined: nothing. */
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

/** Puts a message into the book of the person who received it. */
export function record(
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
  person.record(received);
  return received;
}

/** As the person sees it: a file is fetched and opened at once. */
function contentOf(store: MediaStore, message: proto.Message): ReceivedContent {
  const file = fileOf(store, message);
  return { ...describeMessage(message), ...(file === undefined ? {} : { media: describeFile(file) }) };
}
