import type {
  CONTENT,
  MediaContent,
  MessageBody,
  MessageBodyType,
  MessageTarget,
  OutboundContent,
  OutboundType,
} from '@svc/contracts';
import type {
  AnyMessageContent,
  MediaType,
  MessageRelayOptions,
  proto,
  WAMessageKey,
} from '@whiskeysockets/baileys';
import type { OutgoingFile, OutgoingMessage } from '../../messages.js';

/** Types of `MessageBody` that are a kind of their own; the others say how one was sent, or that it is none of ours. */
export type IncomingType = Exclude<MessageBodyType, 'view_once' | 'unsupported'>;

/** A content whose contract is kept has the fields of its type. */
type Whole = Required<OutboundContent>;

/** A message of the platform as plain JSON. */
export type Fields = Record<string, unknown>;

/** A kind that a session sends. */
export interface SendingKind {
  /** The library's words for it. */
  outgoing(content: Whole, message: OutgoingMessage): AnyMessageContent;
  /** What the stanza around it says about it, as the library does it in its own way of sending. */
  extras?: MessageRelayOptions;
}

/** A kind that is a file: what its upload made of it is what a session sends. */
export interface FileKind {
  /** The library's words for the file. */
  upload(media: MediaContent, file: OutgoingFile): AnyMessageContent;
}

/** How one name of the platform is read. */
export interface IncomingField {
  /** @param original the platform's name of it. */
  body(fields: Fields, original: string): MessageBody;
  /** Of a choice among what was offered: its id. */
  choiceId?(fields: Fields): string | undefined;
  /** Under which name the platform derives the keys of its file. */
  file?: MediaType;
}

/** A kind that a session receives. */
export interface ReceivingKind {
  /** By each name that the platform has for it. */
  incoming: Record<string, IncomingField>;
  /** What a phone needs to show the first lines of it above an answer. */
  quoted(body: MessageBody): proto.IMessage;
}

/** What must be known of a kind. */
export type KindOf<K> = (K extends OutboundType ? SendingOf<K> : unknown) &
  (K extends IncomingType ? ReceivingKind : unknown);
type SendingOf<K extends OutboundType> = (typeof CONTENT)[K]['sending']['hasFile'] extends true
  ? FileKind
  : SendingKind;

/** Makes the platform's name of a message in a chat. */
export function keyOf({ keyId, fromMe, participant }: MessageTarget, to: string): WAMessageKey {
  return { remoteJid: to, id: keyId, fromMe, ...(participant ? { participant } : {}) };
}

/** A text that is not empty. */
export const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
/** A number that is one. */
export const number = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;
/** A flag. */
export const flag = (value: unknown): boolean | undefined => (typeof value === 'boolean' ? value : undefined);

/**
 * Leaves a picture or a film without a preview. The library would read pictures with native code and films with a command line.
 * What tenants send is not for that: one file that breaks it would end all sessions of the process. Phones make their own.
 */
export const NO_PREVIEW = { jpegThumbnail: null } as unknown as { jpegThumbnail: undefined };
