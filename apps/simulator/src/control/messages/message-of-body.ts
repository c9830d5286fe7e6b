import { proto } from '@whiskeysockets/baileys/WAProto/index.js';
import { type FileToSend, withSecret, writeMessage, type Writing } from '../../content/message-writer.js';
import { Refusal } from '../../http/refusal.js';
import { withoutUndefined } from '../../http/without-undefined.js';
import { fileKindOf, KIND_RULES } from '../../kinds/kinds.js';
import type { MediaStore } from '../../media/media-store.js';
import type { WrittenContentBody } from './content-bodies.js';
import type { FileBody } from './file-bodies.js';
import type { WriteMessage } from './message-bodies.js';

/** Makes the message that a request describes: by a text, by its kind, or as the platform's own JSON. */
export function messageOfBody(body: WriteMessage, store: MediaStore, where: Writing): proto.Message {
  const { text, message, content } = body;
  const ways = [text, message, content].filter((way) => way !== undefined);
  if (ways.length !== 1) {
    const words = 'exactly one of text, content and message must be given';
    const fields = { text: [words], content: [words], message: [words] };
    throw new Refusal(400, 'VALIDATION_FAILED', words, { fields });
  }
  if (text !== undefined) return withSecret(proto.Message.fromObject({ conversation: text }));
  if (message !== undefined) return fromJson(message);
  return fromContent(content as WrittenContentBody, store, where);
}

function fromContent(content: WrittenContentBody, store: MediaStore, where: Writing): proto.Message {
  const { type, media, ...fields } = content;
  const { required } = KIND_RULES[type];
  const file = fileKindOf(type);
  for (const field of [...required, ...(file ? ['media'] : [])]) {
    if (content[field as keyof WrittenContentBody] === undefined) {
      throw invalid(`content.${field}`, `a ${type} needs ${field}`);
    }
  }
  if (media && !file) throw invalid('content.media', `a ${type} has no file`);
  return writeMessage(store, where, { type, ...withoutUndefined(fields) }, media && fileOf(media));
}

function fileOf({ base64, size, fault }: FileBody): FileToSend {
  if ((base64 === undefined) === (size === undefined)) {
    throw invalid('content.media', 'exactly one of base64 and size must be given');
  }
  if (base64 !== undefined) return { file: Buffer.from(base64, 'base64'), fault };
  return { file: Buffer.alloc(size ?? 0, 'file of the simulator '), fault };
}

function fromJson(message: Record<string, unknown>): proto.Message {
  try {
    const made = proto.Message.fromObject(message);
    // The library drops unknown kinds silently, which would send something else than was asked for.
    const unknown = Object.keys(message).filter((kind) => !Object.hasOwn(made, kind));
    if (unknown.length > 0) throw new Error(`it knows no ${unknown.join(', ')}`);
    return made;
  } catch (error) {
    throw invalid('message', `message is not a message of the platform: ${(error as Error).message}`);
  }
}

const invalid = (field: string, words: string): Refusal =>
  new Refusal(400, 'VALIDATION_FAILED', words, { fields: { [field]: [words] } });
