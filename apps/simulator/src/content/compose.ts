import type { proto } from '@whiskeysockets/baileys/WAProto/index.js';
import { phoneAddress } from '@svc/contracts';
import type { ComposeContext } from '../kinds/parts/kind.js';
import { KIND_RULES, type WrittenContent } from '../kinds/kinds.js';
import { seconds } from '../wire/nodes.js';

/** Makes a message of the platform by the rules of its kind; files have been uploaded before. */
export function compose(content: WrittenContent, context: ComposeContext): proto.IMessage {
  const message = KIND_RULES[content.type].compose(content, context);
  return content.viewOnce ? { viewOnceMessageV2: { message } } : message;
}

/** Quotes the message that a new one answers, as it was. */
export const quoting = (id: string, author: string, quotedMessage: proto.IMessage): proto.IContextInfo => ({
  stanzaId: id,
  participant: phoneAddress(author),
  quotedMessage,
});

/** Names people in a message. */
export const mentioning = (phones: string[]): proto.IContextInfo => ({
  mentionedJid: phones.map((phone) => phoneAddress(phone)),
});

/** Says where and how to fetch a file, as each kind of message says it. */
export const mediaFields = (url: string, directPath: string, sealed: object): object => ({
  url,
  directPath,
  mediaKeyTimestamp: seconds(),
  ...sealed,
});
