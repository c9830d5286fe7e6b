import { proto } from '@whiskeysockets/baileys/WAProto/index.js';

/** The words of a message, wherever its kind keeps them. */
export function textOfMessage(message: proto.IMessage): string | null {
  const inner = unwrapped(message);
  return (
    inner.conversation ??
    inner.extendedTextMessage?.text ??
    inner.imageMessage?.caption ??
    inner.videoMessage?.caption ??
    inner.documentMessage?.caption ??
    null
  );
}

function unwrapped(message: proto.IMessage): proto.IMessage {
  const wrapper = message.ephemeralMessage ?? message.viewOnceMessageV2 ?? message.documentWithCaptionMessage;
  return wrapper?.message ?? message;
}

/** Plain JSON of a decoded message, bytes as base64. */
export const toJson = (message: proto.IMessage): unknown => proto.Message.fromObject(message).toJSON();

const MEDIA_TYPES: Record<string, string> = {
  imageMessage: 'image',
  videoMessage: 'video',
  audioMessage: 'audio',
  documentMessage: 'document',
  documentWithCaptionMessage: 'document',
  stickerMessage: 'sticker',
  locationMessage: 'location',
  contactMessage: 'vcard',
  contactsArrayMessage: 'contact_array',
};

/** How the stanza around a message announces it. */
export function stanzaTypes(message: proto.IMessage): { type: string; mediatype?: string } {
  if (message.reactionMessage) return { type: 'reaction' };
  if (Object.keys(message).some((kind) => kind.startsWith('pollCreation'))) return { type: 'poll' };
  const mediatype = Object.entries(MEDIA_TYPES).find(([kind]) => Object.hasOwn(message, kind))?.[1];
  return mediatype ? { type: 'media', mediatype } : { type: 'text' };
}
