import { proto } from '@whiskeysockets/baileys/WAProto/index.js';
import { isGroup, parseAddress, phoneAddress } from '@svc/contracts';
import { fileKindOf, type WrittenContent } from '../kinds/kinds.js';
import { sealMedia } from '../media/media-cipher.js';
import type { MediaStore } from '../media/media-store.js';
import type { ReceivedMessage } from '../people/messages.js';
import type { Person } from '../people/person.js';
import { compose, mediaFields, mentioning, quoting } from './compose.js';

/** Fault of a file, made on purpose. `missing`: it is not there. `altered`: it is another one. */
export const MEDIA_FAULTS = ['missing', 'altered'] as const;

/** A file that a person sends. */
export interface FileToSend {
  file: Buffer;
  fault?: (typeof MEDIA_FAULTS)[number];
}

/** Makes a message of what a person wants to say in a chat; a file is uploaded to the media host first. */
export function writeMessage(
  store: MediaStore,
  person: Person,
  chat: string,
  content: WrittenContent,
  file?: FileToSend,
): proto.Message {
  const message = compose(content, {
    media: file && upload(store, content, file),
    target: content.targetKeyId ? keyOf(person, chat, content.targetKeyId) : undefined,
    contextInfo: contextOf(person, chat, content),
  });
  return proto.Message.fromObject(message);
}

function upload(
  store: MediaStore,
  { type }: WrittenContent,
  { file, fault }: FileToSend,
): object | undefined {
  const kind = fileKindOf(type);
  if (!kind) return undefined;
  const { blob, sealed } = sealMedia(kind, file);
  const path = store.put(blob);
  if (fault === 'missing') store.remove(path);
  if (fault === 'altered') store.alter(path);
  return mediaFields(store.urlOf(path), path, sealed);
}

const receivedBy = (person: Person, id: string): ReceivedMessage | undefined =>
  person.received.find((message) => message.id === id);

/** Names a message as the author sees it: a chat of two by the other person, a message of a group by its writer, too. */
function keyOf(person: Person, chat: string, id: string): proto.IMessageKey {
  const writer = isGroup(chat) ? receivedBy(person, id)?.from : undefined;
  const fromMe = person.sent.has(id);
  return { remoteJid: chat, fromMe, id, ...(writer ? { participant: phoneAddress(writer) } : {}) };
}

function contextOf(
  person: Person,
  chat: string,
  { quotedKeyId: id, mentions }: WrittenContent,
): proto.IContextInfo | undefined {
  if (!id && !mentions) return undefined;
  return { ...(mentions ? mentioning(mentions) : {}), ...(id ? quote(person, chat, id) : {}) };
}

/** Quotes a message; an unknown one is taken for one of the other side. */
function quote(person: Person, chat: string, id: string): proto.IContextInfo {
  const received = receivedBy(person, id);
  const own = person.sent.get(id);
  const writer = received?.from ?? (own ? person.phone : (parseAddress(chat)?.user ?? ''));
  const message = received
    ? proto.Message.fromObject(received.message as object)
    : { conversation: own?.text ?? '' };
  return quoting(id, writer, message);
}
