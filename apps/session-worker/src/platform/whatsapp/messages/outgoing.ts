import { createHash } from 'node:crypto';
import { CONTENT, isGroup, type OutboundContent, type QuotedTarget } from '@svc/contracts';
import {
  type AuthenticationCreds,
  generateWAMessageContent,
  generateWAMessageFromContent,
  getContentType,
  type makeWASocket,
  proto,
  type WAMessage,
} from '@whiskeysockets/baileys';
import { NotInGroupError } from '../../errors.js';
import type { ChatTimer, OutgoingFile, OutgoingMessage } from '../../messages.js';
import { type FileKind, keyOf, type ReceivingKind, type SendingKind } from '../kinds/kind.js';
import { KINDS } from '../kinds/kinds.js';
import { timerOf } from './chat-timers.js';
import { uploadBy, type UploadWay } from './media-upload.js';
import { derivedSecret } from '../secrets/secret-of.js';

/** The library's socket. */
export type LibrarySocket = ReturnType<typeof makeWASocket>;

/** Codes with which the platform answers a question about a group that is none of the session's. */
const FOREIGN_GROUP = [401, 403, 404];

/** Makes the message id of a job, in the shape of the library's own ids: `3EB0` and 18 upper-case hex digits. */
export function keyIdOf(jobId: string): string {
  return `3EB0${createHash('sha256').update(jobId).digest('hex').slice(0, 18).toUpperCase()}`;
}

/**
 * Hands a message to the library's socket under its id.
 * @throws NotInGroupError
 */
export async function sendMessage(sock: LibrarySocket, outgoing: OutgoingMessage): Promise<void> {
  const { to, keyId, content } = outgoing;
  const { creds, keys } = sock.authState;
  const message = await messageOf(outgoing, creds, await timerOf(keys, to));
  const { extras } = KINDS[content.type] as Partial<SendingKind>;
  try {
    await sock.relayMessage(to, message, { messageId: keyId, ...extras });
  } catch (error) {
    // The library asks who belongs to a group before it sends to it.
    const { data } = error as { data?: unknown };
    if (isGroup(to) && FOREIGN_GROUP.includes(Number(data))) throw new NotInGroupError();
    throw error;
  }
}

/** Encrypts and uploads a file; the answer is the platform's message for it, encoded. */
export async function uploadFile(
  { type, media }: OutboundContent,
  file: OutgoingFile,
  way: UploadWay,
): Promise<Uint8Array> {
  const { upload } = KINDS[type] as FileKind;
  const message = await generateWAMessageContent(upload(media ?? {}, file), { upload: uploadBy(way) });
  return proto.Message.encode(message).finish();
}

/**
 * Builds the platform's message: the same one however often and by whichever process, but for the timer of its chat.
 * @param timer after which phones delete it, as they delete the others of the chat
 */
export async function messageOf(
  outgoing: OutgoingMessage,
  { me, advSecretKey }: AuthenticationCreds,
  timer?: ChatTimer,
): Promise<proto.IMessage> {
  const { to, content, acceptedAt, uploaded } = outgoing;
  const bare = uploaded ? proto.Message.decode(uploaded) : await messageWithoutFile(outgoing);
  // The library would make these up anew each time: the secret that votes and reports refer to, and the time of an edit.
  const { messageContextInfo, protocolMessage } = bare;
  if (messageContextInfo?.messageSecret) messageContextInfo.messageSecret = secretOf(outgoing, advSecretKey);
  if (protocolMessage?.timestampMs) protocolMessage.timestampMs = acceptedAt.getTime();
  const quoted = content.quoted && quotedMessage(content.quoted, to);
  const full = generateWAMessageFromContent(to, bare, { userJid: me?.id ?? '', quoted });
  return disappearing(full.message ?? bare, timer);
}

/** Lets a message disappear as the others of its chat do; an edit goes with what it changes. */
function disappearing(message: proto.IMessage, timer: ChatTimer | undefined): proto.IMessage {
  const type = getContentType(message);
  const content: unknown = type && message[type];
  if (!timer?.seconds || type === 'protocolMessage' || !content || typeof content !== 'object')
    return message;
  const { contextInfo } = content as { contextInfo?: proto.IContextInfo };
  const { seconds: expiration, setAt: ephemeralSettingTimestamp } = timer;
  Object.assign(content, { contextInfo: { ...contextInfo, expiration, ephemeralSettingTimestamp } });
  return message;
}

function secretOf({ secret, keyId }: OutgoingMessage, advSecretKey: string): Uint8Array {
  return secret ?? derivedSecret(advSecretKey, keyId);
}

/** Says whether all parts are there to build the message: its file has been uploaded, or it has none. */
export function isComplete({ content, uploaded }: OutgoingMessage): boolean {
  return !CONTENT[content.type].sending.hasFile || uploaded !== null;
}

function messageWithoutFile(message: OutgoingMessage): Promise<proto.Message> {
  const kind = KINDS[message.content.type];
  if (!('outgoing' in kind)) throw new Error('The file has not been uploaded.');
  const content = kind.outgoing(message.content as Required<OutboundContent>, message);
  return generateWAMessageContent(content, { upload: refuseUpload });
}

function quotedMessage(target: QuotedTarget, to: string): WAMessage {
  const { quoted } = (KINDS as object as Record<string, Partial<ReceivingKind>>)[target.body.type] ?? {};
  // A phone shows an answer to a message of no kind as an answer all the same.
  return { key: keyOf(target, to), message: quoted?.(target.body) ?? { conversation: '' } } as WAMessage;
}

function refuseUpload(): never {
  throw new Error('There is nothing to upload.');
}
