import type { MessageBody } from '@svc/contracts';
import type { proto } from '@whiskeysockets/baileys';

type Quote = (body: MessageBody) => proto.IMessage;

const file = ({ caption, mimeType }: MessageBody) => ({ caption, mimetype: mimeType });

/** What a phone needs to show the first lines of what is answered, by kind; of all others it shows that something was. */
const QUOTES: Partial<Record<MessageBody['type'], Quote>> = {
  text: ({ text }) => ({ conversation: text ?? '' }),
  image: (body) => ({ imageMessage: file(body) }),
  video: (body) => ({ videoMessage: file(body) }),
  audio: (body) => ({ audioMessage: { mimetype: body.mimeType, seconds: body.seconds, ptt: body.isPtt } }),
  document: (body) => ({ documentMessage: { ...file(body), fileName: body.filename } }),
  sticker: ({ mimeType }) => ({ stickerMessage: { mimetype: mimeType } }),
  location: ({ latitude, longitude, name, address }) => ({
    locationMessage: { degreesLatitude: latitude, degreesLongitude: longitude, name, address },
  }),
  contact: ({ displayName }) => ({ contactMessage: { displayName } }),
  poll: ({ name, options }) => ({
    pollCreationMessageV3: { name, options: options?.map((optionName) => ({ optionName })) },
  }),
};

/** The platform's message for what is quoted. */
export function quotedContent(body: MessageBody): proto.IMessage {
  return QUOTES[body.type]?.(body) ?? { conversation: '' };
}
