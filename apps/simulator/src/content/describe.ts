import type { proto } from '@whiskeysockets/baileys/WAProto/index.js';
import { parseJid } from '../wire/jids.js';
import { fieldOf, unwrapped } from './content.js';
import type { Card, ContentFields, ReceivedContent } from './kinds.js';

type Message = proto.IMessage;
type Reader = (message: Message) => ReceivedContent | undefined;

/** By the platform's name of what fills a message. */
const READERS: Record<string, Reader> = {
  conversation: ({ conversation }) => ({ type: 'text', text: conversation ?? '' }),
  extendedTextMessage: ({ extendedTextMessage: it }) => ({ type: 'text', text: it?.text ?? '' }),
  imageMessage: ({ imageMessage: it }) => ({ type: 'image', ...captioned(it) }),
  videoMessage: ({ videoMessage: it }) => video(it, false),
  ptvMessage: ({ ptvMessage: it }) => video(it, true),
  audioMessage: ({ audioMessage: it }) =>
    compact({
      type: 'audio',
      mimeType: it?.mimetype,
      seconds: it?.seconds,
      isPtt: it?.ptt ?? false,
    }),
  documentMessage: ({ documentMessage: it }) =>
    compact({
      type: 'document',
      ...captioned(it),
      filename: it?.fileName,
      pageCount: it?.pageCount,
    }),
  stickerMessage: ({ stickerMessage: it }) =>
    compact({ type: 'sticker', mimeType: it?.mimetype, isAnimated: it?.isAnimated ?? false }),
  locationMessage: ({ locationMessage: it }) =>
    compact({
      type: 'location',
      latitude: it?.degreesLatitude,
      longitude: it?.degreesLongitude,
      name: it?.name,
      address: it?.address,
    }),
  contactMessage: ({ contactMessage: it }) => ({ type: 'contact', contacts: it ? [cardOf(it)] : [] }),
  contactsArrayMessage: ({ contactsArrayMessage: it }) => ({
    type: 'contact',
    contacts: (it?.contacts ?? []).map(cardOf),
  }),
  pollCreationMessage: ({ pollCreationMessage: it }) => poll(it),
  pollCreationMessageV2: ({ pollCreationMessageV2: it }) => poll(it),
  pollCreationMessageV3: ({ pollCreationMessageV3: it }) => poll(it),
  reactionMessage: ({ reactionMessage: it }) =>
    compact({ type: 'reaction', emoji: it?.text ?? '', targetKeyId: it?.key?.id }),
  protocolMessage: ({ protocolMessage: it }) => change(it),
};

/** What a person sees of a message. */
export function describeMessage(message: Message): ReceivedContent {
  const inner = unwrapped(message);
  const field = fieldOf(inner);
  const content = READERS[field ?? '']?.(inner) ?? { type: 'unsupported', original: field ?? 'empty' };
  return { ...content, ...surroundings(inner, field), ...(isViewOnce(message) ? { viewOnce: true } : {}) };
}

const isViewOnce = (message: Message): boolean =>
  Boolean(message.viewOnceMessage ?? message.viewOnceMessageV2 ?? message.viewOnceMessageV2Extension);

/** Which message it answers, and whom it names. */
function surroundings(message: Message, field: string | undefined): ContentFields {
  const filled = message[(field ?? '') as keyof Message] as { contextInfo?: proto.IContextInfo } | undefined;
  const { stanzaId, mentionedJid } = filled?.contextInfo ?? {};
  return {
    ...(stanzaId ? { quotedKeyId: stanzaId } : {}),
    ...(mentionedJid?.length ? { mentions: mentionedJid.map((jid) => parseJid(jid)?.user ?? jid) } : {}),
  };
}

const captioned = (it: { caption?: string | null; mimetype?: string | null } | null | undefined) =>
  compact({ caption: it?.caption, mimeType: it?.mimetype });

const video = (it: proto.Message.IVideoMessage | null | undefined, isPtv: boolean): ReceivedContent =>
  compact({ type: 'video', ...captioned(it), seconds: it?.seconds, isPtv });

const poll = (it: proto.Message.IPollCreationMessage | null | undefined): ReceivedContent =>
  compact({
    type: 'poll',
    name: it?.name,
    options: (it?.options ?? []).map(({ optionName }) => optionName ?? ''),
  });

function change(it: proto.Message.IProtocolMessage | null | undefined): ReceivedContent | undefined {
  const targetKeyId = it?.key?.id ?? undefined;
  if (it?.editedMessage) return compact({ ...describeMessage(it.editedMessage), type: 'edit', targetKeyId });
  const REVOKE = 0;
  return targetKeyId && (it?.type ?? REVOKE) === REVOKE ? { type: 'revoke', targetKeyId } : undefined;
}

function cardOf({ displayName, vcard }: proto.Message.IContactMessage): Card {
  const phone = /^TEL[^:]*:\s*(.+)$/im.exec(vcard ?? '')?.[1]?.replaceAll(/\D/g, '');
  return { displayName: displayName ?? '', ...(phone ? { phone } : {}) };
}

/** Without the fields that the message does not have. */
function compact<T extends object>(fields: T): { [Name in keyof T]: NonNullable<T[Name]> } {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(present) as { [Name in keyof T]: NonNullable<T[Name]> };
}
