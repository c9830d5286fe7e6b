import { proto } from '@whiskeysockets/baileys/WAProto/index.js';
import { author, type WrittenFile } from '../../content/authoring.js';
import { type Kind, isMediaKind } from '../../content/kinds.js';
import type { MediaStore } from '../../media/media-store.js';
import type { Person } from '../../people/person.js';
import { Refusal } from '../../http/refusal.js';
import type { WrittenContentBody } from './content-bodies.js';
import type { FileBody } from './file-bodies.js';
import { given } from '../lookups.js';
import type { WriteMessage } from './message-bodies.js';

/** Without these a kind says nothing. */
const REQUIRED: Partial<Record<Kind, (keyof WrittenContentBody)[]>> = {
  text: ['text'],
  location: ['latitude', 'longitude'],
  contact: ['contacts'],
  poll: ['name', 'options'],
  reaction: ['emoji', 'targetKeyId'],
  edit: ['text', 'targetKeyId'],
  revoke: ['targetKeyId'],
};

/** The message that a request describes: in words, by its kind, or as the platform's own JSON. */
export function toMessage(
  body: WriteMessage,
  store: MediaStore,
  where: { person: Person; chat: string },
): proto.Message {
  const { text, message, content } = body;
  const ways = [text, message, content].filter((way) => way !== undefined);
  if (ways.length !== 1) {
    const words = 'exactly one of text, content and message must be given';
    const fields = { text: [words], content: [words], message: [words] };
    throw new Refusal(400, 'VALIDATION_FAILED', words, { fields });
  }
  if (text !== undefined) return proto.Message.fromObject({ conversation: text });
  if (message !== undefined) return fromJson(message);
  return fromContent(content as WrittenContentBody, store, where);
}

function fromContent(
  content: WrittenContentBody,
  store: MediaStore,
  { person, chat }: { person: Person; chat: string },
): proto.Message {
  const { type, media, ...fields } = content;
  const required = REQUIRED[type] ?? (isMediaKind(type) ? ['media' as const] : []);
  for (const field of required) {
    if (content[field] === undefined) throw invalid(`content.${field}`, `a ${type} needs ${field}`);
  }
  if (media && !isMediaKind(type)) throw invalid('content.media', `a ${type} has no file`);
  const written = media && { file: fileOf(media), fault: media.fault };
  return author(store, person, chat, { type, ...given(fields) }, written as WrittenFile | undefined);
}

function fileOf({ base64, size }: FileBody): Buffer {
  if ((base64 === undefined) === (size === undefined)) {
    throw invalid('content.media', 'exactly one of base64 and size must be given');
  }
  if (base64 !== undefined) return Buffer.from(base64, 'base64');
  return Buffer.alloc(size ?? 0, 'file of the simulator ');
}

function fromJson(message: Record<string, unknown>): proto.Message {
  try {
    const made = proto.Message.fromObject(message);
    // Unknown kinds are dropped without a word, which would send something else than was asked for.
    const unknown = Object.keys(message).filter((kind) => !Object.hasOwn(made, kind));
    if (unknown.length > 0) throw new Error(`it knows no ${unknown.join(', ')}`);
    return made;
  } catch (error) {
    throw invalid('message', `message is not a message of the platform: ${(error as Error).message}`);
  }
}

const invalid = (field: string, words: string): Refusal =>
  new Refusal(400, 'VALIDATION_FAILED', words, { fields: { [field]: [words] } });
