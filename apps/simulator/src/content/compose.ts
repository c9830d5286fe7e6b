import { randomBytes } from 'node:crypto';
import type { proto } from '@whiskeysockets/baileys/WAProto/index.js';
import { phoneJid } from '../wire/jids.js';
import { seconds } from '../wire/nodes.js';
import type { Card, ContentFields, Kind } from './kinds.js';

const EDIT_TYPE = 14;
const REVOKE_TYPE = 0;

/** What a person writes. Files have been left with the media host already. */
export interface WrittenContent extends ContentFields {
  type: Kind;
}

/** What a new message may refer to. */
export interface Surroundings {
  /** Where the file lies and how to open it. */
  media?: object;
  target?: proto.IMessageKey;
  contextInfo?: proto.IContextInfo;
}

type Maker = (content: WrittenContent, around: Surroundings) => proto.IMessage;

const MAKERS: Record<Kind, Maker> = {
  text: ({ text }, { contextInfo }) =>
    contextInfo ? { extendedTextMessage: { text, contextInfo } } : { conversation: text },
  image: (it, { media, contextInfo }) => ({
    imageMessage: { ...media, caption: it.caption, mimetype: it.mimeType ?? 'image/jpeg', contextInfo },
  }),
  video: (it, { media, contextInfo }) => {
    const mimetype = it.mimeType ?? 'video/mp4';
    const message = { ...media, caption: it.caption, mimetype, seconds: it.seconds, contextInfo };
    return it.isPtv ? { ptvMessage: message } : { videoMessage: message };
  },
  audio: (it, { media, contextInfo }) => {
    const mimetype = it.mimeType ?? 'audio/ogg; codecs=opus';
    return {
      audioMessage: { ...media, mimetype, seconds: it.seconds, ptt: it.isPtt ?? false, contextInfo },
    };
  },
  document: (it, { media, contextInfo }) => documentOf(it, { ...media, contextInfo }),
  sticker: (it, { media, contextInfo }) => {
    const mimetype = it.mimeType ?? 'image/webp';
    return { stickerMessage: { ...media, mimetype, isAnimated: it.isAnimated ?? false, contextInfo } };
  },
  location: (it, { contextInfo }) => ({
    locationMessage: {
      degreesLatitude: it.latitude,
      degreesLongitude: it.longitude,
      name: it.name,
      address: it.address,
      contextInfo,
    },
  }),
  contact: ({ contacts = [] }, { contextInfo }) => {
    const [first, ...others] = contacts.map(cardMessage);
    if (others.length === 0) return { contactMessage: { ...first, contextInfo } };
    const displayName = `${contacts.length} contacts`;
    return { contactsArrayMessage: { displayName, contacts: [first ?? {}, ...others], contextInfo } };
  },
  poll: ({ name, options = [] }, { contextInfo }) => ({
    messageContextInfo: { messageSecret: randomBytes(32) },
    pollCreationMessageV3: {
      name,
      options: options.map((optionName) => ({ optionName })),
      selectableOptionsCount: 1,
      contextInfo,
    },
  }),
  reaction: ({ emoji = '' }, { target }) => ({
    reactionMessage: { key: target, text: emoji, senderTimestampMs: Date.now() },
  }),
  edit: ({ text }, { target }) => ({
    protocolMessage: {
      key: target,
      type: EDIT_TYPE,
      editedMessage: { conversation: text },
      timestampMs: Date.now(),
    },
  }),
  revoke: (_content, { target }) => ({ protocolMessage: { key: target, type: REVOKE_TYPE } }),
};

export function compose(content: WrittenContent, around: Surroundings): proto.IMessage {
  const message = MAKERS[content.type](content, around);
  return content.viewOnce ? { viewOnceMessageV2: { message } } : message;
}

/** A document with a caption comes in an envelope of its own. */
function documentOf(it: WrittenContent, media: object): proto.IMessage {
  const mimetype = it.mimeType ?? 'application/octet-stream';
  const { filename: fileName, pageCount, caption } = it;
  const documentMessage = { ...media, mimetype, fileName, title: fileName, pageCount, caption };
  return caption ? { documentWithCaptionMessage: { message: { documentMessage } } } : { documentMessage };
}

const cardMessage = ({ displayName, phone }: Card): proto.Message.IContactMessage => {
  const number = phone ? [`TEL;type=CELL;waid=${phone}:+${phone}`] : [];
  const lines = ['BEGIN:VCARD', 'VERSION:3.0', `FN:${displayName}`, ...number, 'END:VCARD'];
  return { displayName, vcard: lines.join('\n') };
};

/** The message that a new one answers, as it was. */
export const quoting = (id: string, author: string, quotedMessage: proto.IMessage): proto.IContextInfo => ({
  stanzaId: id,
  participant: phoneJid(author),
  quotedMessage,
});

export const mentioning = (phones: string[]): proto.IContextInfo => ({
  mentionedJid: phones.map((phone) => phoneJid(phone)),
});

/** Where and how to fetch a file, as each kind of message says it. */
export const mediaFields = (url: string, directPath: string, sealed: object): object => ({
  url,
  directPath,
  mediaKeyTimestamp: seconds(),
  ...sealed,
});
