import { createHmac } from 'node:crypto';
import type {
  ContactContent,
  MessageTarget,
  OutboundContent,
  OutboundType,
  QuotedTarget,
} from '@svc/contracts';
import {
  type AnyMessageContent,
  generateWAMessageContent,
  generateWAMessageFromContent,
  type MessageRelayOptions,
  proto,
  type WAMessage,
  type WAMessageKey,
} from '@whiskeysockets/baileys';
import type { OutgoingMessage } from '../../port.js';
import type { Credentials } from '../keys/credentials.js';
import { quotedContent } from './quoted-content.js';

/** The platform's message: the same one however often and by whichever process it is built. */
export async function messageOf(
  outgoing: OutgoingMessage,
  { me, advSecretKey }: Credentials,
): Promise<proto.IMessage> {
  const { to, keyId, content, acceptedAt, uploaded } = outgoing;
  const bare = uploaded
    ? proto.Message.decode(uploaded)
    : await generateWAMessageContent(KINDS[content.type](content as Whole, outgoing), { upload: noUpload });
  // What the library would make up anew each time: the secret that votes and reports refer to, and the time of an edit.
  if (bare.messageContextInfo?.messageSecret)
    bare.messageContextInfo.messageSecret = createHmac('sha256', advSecretKey).update(keyId).digest();
  if (bare.protocolMessage?.timestampMs) bare.protocolMessage.timestampMs = acceptedAt.getTime();
  const quoted = content.quoted && quotedMessage(content.quoted, to);
  const full = generateWAMessageFromContent(to, bare, { userJid: me?.id ?? '', quoted });
  return full.message ?? bare;
}

/** Whether all is there to build it: a file has been uploaded, or there is none. */
export function isComplete({ content, uploaded }: OutgoingMessage): boolean {
  return !content.media || uploaded !== null;
}

/** What the stanza around a message says about it, as the library does it in its own way of sending. */
export function stanzaExtras({ type }: OutboundContent): MessageRelayOptions {
  if (type === 'edit') return { additionalAttributes: { edit: '1' } };
  if (type === 'delete') return { additionalAttributes: { edit: '7' } };
  if (type === 'poll')
    return { additionalNodes: [{ tag: 'meta', attrs: { polltype: 'creation' }, content: undefined }] };
  return {};
}

/** A content whose contract is kept has the fields of its type. */
type Whole = Required<OutboundContent>;

/** The library's words for each kind. */
const KINDS: Record<OutboundType, (content: Whole, outgoing: OutgoingMessage) => AnyMessageContent> = {
  text: ({ text, mentions }) => ({ text, linkPreview: null, mentions }),
  location: ({ location: { latitude, longitude, name, address } }) => ({
    location: { degreesLatitude: latitude, degreesLongitude: longitude, name, address },
  }),
  contact: ({ contact }) => ({
    contacts: { contacts: [{ displayName: contact.displayName, vcard: cardOf(contact) }] },
  }),
  poll: ({ poll: { name, options, multiple } }) => ({
    poll: { name, values: options, selectableCount: multiple ? 0 : 1 },
  }),
  reaction: ({ emoji, target }, { to, acceptedAt }) => ({
    react: { key: keyOf(target, to), text: emoji, senderTimestampMs: acceptedAt.getTime() },
  }),
  edit: ({ text, mentions, target }, { to }) => ({
    ...{ text, linkPreview: null, mentions },
    edit: keyOf(target, to),
  }),
  delete: ({ target }, { to }) => ({ delete: keyOf(target, to) }),
  image: notUploaded,
  audio: notUploaded,
  document: notUploaded,
  video: notUploaded,
  sticker: notUploaded,
};

function keyOf({ keyId, fromMe, participant }: MessageTarget, to: string): WAMessageKey {
  return { remoteJid: to, id: keyId, fromMe, ...(participant ? { participant } : {}) };
}

function quotedMessage(quoted: QuotedTarget, to: string): WAMessage {
  return { key: keyOf(quoted, to), message: quotedContent(quoted.body) } as WAMessage;
}

/** A vCard 3.0; a phone offers to write to `waid`. */
function cardOf({ displayName, phone }: ContactContent): string {
  const name = displayName.replaceAll(/[\\,;]/g, '\\$&').replaceAll(/\r?\n/g, '\\n');
  const digits = phone.replaceAll(/\D/g, '');
  const lines = ['BEGIN:VCARD', 'VERSION:3.0', `FN:${name}`, `TEL;type=CELL;waid=${digits}:+${digits}`];
  return [...lines, 'END:VCARD'].join('\n');
}

function notUploaded(): never {
  throw new Error('The file has not been uploaded.');
}

function noUpload(): never {
  throw new Error('There is nothing to upload.');
}
