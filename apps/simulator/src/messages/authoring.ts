import { proto } from '@whiskeysockets/baileys/WAProto/index.js';
import { sealMedia } from '../media/media-cipher.js';
import type { MediaStore } from '../media/media-store.js';
import type { Person } from '../people/person.js';
import { phoneJid } from '../wire/jids.js';
import { compose, mediaFields, mentioning, quoting, type WrittenContent } from './compose.js';
import { isMediaKind } from './kinds.js';

/** What is wrong with a file on purpose. `missing`: it is not there. `altered`: it is another one. */
export const MEDIA_FAULTS = ['missing', 'altered'] as const;

export interface WrittenFile {
  file: Buffer;
  fault?: (typeof MEDIA_FAULTS)[number];
}

/** Makes a message of what a person wants to say to an account; a file goes to the media host first. */
export function author(
  store: MediaStore,
  person: Person,
  account: Person,
  content: WrittenContent,
  written?: WrittenFile,
): proto.Message {
  const message = compose(content, {
    media: written && leave(store, content, written),
    target: content.targetKeyId ? keyOf(person, account, content.targetKeyId) : undefined,
    contextInfo: contextOf(person, account, content),
  });
  return proto.Message.fromObject(message);
}

function leave(
  store: MediaStore,
  { type }: WrittenContent,
  { file, fault }: WrittenFile,
): object | undefined {
  if (!isMediaKind(type)) return undefined;
  const { blob, sealed } = sealMedia(type, file);
  const path = store.put(blob);
  if (fault === 'missing') store.remove(path);
  if (fault === 'altered') store.spoil(path);
  return mediaFields(store.urlOf(path), path, sealed);
}

/** As the author sees it: the chat is named after the other one. */
const keyOf = (person: Person, account: Person, id: string): proto.IMessageKey => ({
  remoteJid: phoneJid(account.phone),
  fromMe: person.sent.has(id),
  id,
});

function contextOf(
  person: Person,
  account: Person,
  { quotedKeyId: id, mentions }: WrittenContent,
): proto.IContextInfo | undefined {
  if (!id && !mentions) return undefined;
  return { ...(mentions ? mentioning(mentions) : {}), ...(id ? quoted(person, account, id) : {}) };
}

function quoted(person: Person, account: Person, id: string): proto.IContextInfo {
  const received = person.recorded(account.phone, id);
  if (received) return quoting(id, account.phone, proto.Message.fromObject(received.message as object));
  const own = person.sent.get(id);
  return quoting(id, own ? person.phone : account.phone, { conversation: own?.text ?? '' });
}
