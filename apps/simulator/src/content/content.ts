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

const WRAPPERS = [
  'ephemeralMessage',
  'viewOnceMessage',
  'viewOnceMessageV2',
  'viewOnceMessageV2Extension',
  'documentWithCaptionMessage',
] as const;

/** What is inside the envelopes that say that it vanishes, may be seen once, or has a caption. */
export function unwrapped(message: proto.IMessage): proto.IMessage {
  const inner = WRAPPERS.map((wrapper) => message[wrapper]?.message).find((each) => each);
  return inner ? unwrapped(inner) : message;
}

/** Plain JSON of a decoded message, bytes as base64. */
export const toJson = (message: proto.IMessage): unknown => proto.Message.fromObject(message).toJSON();

/** Name of what fills a message; what only goes along with it does not count. */
export const fieldOf = (message: proto.IMessage): string | undefined =>
  Object.keys(message).find(
    (name) => !/^(messageContextInfo|senderKeyDistributionMessage)$/.test(name) && hasValue(message, name),
  );

const hasValue = (message: proto.IMessage, name: string): boolean =>
  message[name as keyof proto.IMessage] != null;

const MEDIA_TYPES: Record<string, string> = {
  imageMessage: 'image',
  videoMessage: 'video',
  audioMessage: 'audio',
  documentMessage: 'document',
  stickerMessage: 'sticker',
  locationMessage: 'location',
  contactMessage: 'vcard',
  contactsArrayMessage: 'contact_array',
};
const EDIT = '1';
const REVOKE = '7';

/** How the stanza around a message announces it. */
export function stanzaTypes(message: proto.IMessage): { type: string; mediatype?: string; edit?: string } {
  const inner = unwrapped(message);
  if (inner.reactionMessage) return { type: 'reaction' };
  if (inner.protocolMessage)
    return { type: 'text', edit: inner.protocolMessage.editedMessage ? EDIT : REVOKE };
  if (Object.keys(inner).some((kind) => kind.startsWith('pollCreation'))) return { type: 'poll' };
  const mediatype = Object.entries(MEDIA_TYPES).find(([kind]) => Object.hasOwn(inner, kind))?.[1];
  return mediatype ? { type: 'media', mediatype } : { type: 'text' };
}
