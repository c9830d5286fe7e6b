import { proto } from '@whiskeysockets/baileys/WAProto/index.js';
import { isGroup, parseAddress, phoneAddress } from '@svc/contracts';
import type { ComposeContext, Kind } from '../kinds/parts/kind.js';
import { fileKindOf, type WrittenContent } from '../kinds/kinds.js';
import { sealMedia } from '../media/media-cipher.js';
import type { MediaStore } from '../media/media-store.js';
import type { ReceivedMessage } from '../people/messages.js';
import type { Person } from '../people/person.js';
import type { Population } from '../people/population.js';
import { compose, mediaFields, mentioning, quoting } from './compose.js';
import { addressOf, newSecret, sealFor, sealTarget } from './seal.js';

/** Fault of a file, made on purpose. `missing`: it is not there. `altered`: it is another one. */
export const MEDIA_FAULTS = ['missing', 'altered'] as const;

/** A file that a person sends. */
export interface FileToSend {
  file: Buffer;
  fault?: (typeof MEDIA_FAULTS)[number];
}

/** A person who writes in a chat. */
export interface Writing {
  person: Person;
  chat: string;
  people: Population;
}

/** Kinds that are about an earlier message: nothing is sealed by a secret of theirs. */
const WITHOUT_SECRET: readonly Kind[] = ['reaction', 'edit', 'revoke', 'vote'];

/** Makes a message of what a person wants to say in a chat; a file is uploaded to the media host first. */
export function writeMessage(
  store: MediaStore,
  { person, chat, people }: Writing,
  content: WrittenContent,
  file?: FileToSend,
): proto.Message {
  const message = compose(content, {
    media: file && upload(store, content, file),
    ...(content.targetKeyId ? aboutMessage({ person, chat, people }, content.targetKeyId, content) : {}),
    contextInfo: contextOf(person, chat, content),
  });
  const made = proto.Message.fromObject(message);
  return WITHOUT_SECRET.includes(content.type) ? made : withSecret(made);
}

/** Gives a message a secret, as every client does. */
export function withSecret(message: proto.Message): proto.Message {
  message.messageContextInfo ??= {};
  message.messageContextInfo.messageSecret ??= newSecret();
  return message;
}

/** Says which message a new one is about, and seals what it says of it where it is sealed. */
function aboutMessage(
  { person, chat, people }: Writing,
  id: string,
  { type, sealed = type === 'vote' ? {} : undefined }: WrittenContent,
): Pick<ComposeContext, 'target' | 'seal'> {
  const target = keyOf(person, chat, id);
  if (!sealed) return { target };
  const about = sealTarget(person, id, sealed, people);
  const participant = isGroup(chat) ? addressOf(about.writer, sealed.author) : undefined;
  const fromMe = about.writer === person;
  return {
    target: { ...target, fromMe, ...(participant ? { participant } : {}) },
    seal: sealFor(person, about, sealed),
  };
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
  { quotedKeyId: id, mentions, disappearsAfter }: WrittenContent,
): proto.IContextInfo | undefined {
  if (!id && !mentions && !disappearsAfter) return undefined;
  const timer = { expiration: disappearsAfter, ephemeralSettingTimestamp: Math.floor(Date.now() / 1_000) };
  return {
    ...(mentions ? mentioning(mentions) : {}),
    ...(id ? quote(person, chat, id) : {}),
    ...(disappearsAfter ? timer : {}),
  };
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
