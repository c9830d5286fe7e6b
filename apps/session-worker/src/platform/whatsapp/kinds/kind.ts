import { digitsOf, phoneAddress } from '@svc/contracts';
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

/** Content with all fields of its type, as its contract promises. */
type Whole = Required<OutboundContent>;

/** A message of the platform as plain JSON. */
export type Fields = Record<string, unknown>;

/** A kind that a session sends. */
export interface SendingKind {
  /** Makes the library's form of the content. */
  outgoing(content: Whole, message: OutgoingMessage): AnyMessageContent;
  /** Attributes of the stanza around it, as the library sets them in its own way of sending. */
  extras?: MessageRelayOptions;
}

/** A kind that is a file: what its upload made of it is what a session sends. */
export interface FileKind {
  /** Makes the library's form of the file. */
  upload(media: MediaContent, file: OutgoingFile): AnyMessageContent;
}

/** Reader of one name of the platform. */
export interface IncomingField {
  /** @param original the platform's name of the content. */
  body(fields: Fields, original: string): MessageBody;
  /** Reads the id of a choice among offered ones. */
  choiceId?(fields: Fields): string | undefined;
  /** Name from which the platform derives the keys of its file. */
  file?: MediaType;
}

/** A kind that a session receives. */
export interface ReceivingKind {
  /** Readers by the platform's names of the kind. */
  incoming: Record<string, IncomingField>;
  /** Makes what a phone needs to show the first lines of the message above an answer. */
  quoted(body: MessageBody): proto.IMessage;
}

/** Parts that every kind must have. */
export type KindOf<K> = (K extends OutboundType ? SendingOf<K> : unknown) &
  (K extends IncomingType ? ReceivingKind : unknown);
type SendingOf<K extends OutboundType> = (typeof CONTENT)[K]['sending']['hasFile'] extends true
  ? FileKind
  : SendingKind;

/** Makes the platform's name of a message in a chat. */
export function keyOf({ keyId, fromMe, participant }: MessageTarget, to: string): WAMessageKey {
  return { remoteJid: to, id: keyId, fromMe, ...(participant ? { participant } : {}) };
}

/** Makes a text of the library that names people: by their accounts, for which a phone shows their names. */
export function namingText(
  { text }: Whole,
  { content: { mentions, accounts = {} } }: OutgoingMessage,
): { text: string; linkPreview: null; mentions?: string[] } {
  const said = text.replace(/@(\d{1,20})/g, (named, digits: string) => {
    const account = digitsOf(accounts[phoneAddress(digits)]);
    return account === undefined ? named : `@${account}`;
  });
  const named = mentions?.map((address) => accounts[address] ?? address);
  return { text: said, linkPreview: null, ...(named && { mentions: named }) };
}

/** A text that is not empty. */
export const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
/** A number that is one. */
export const number = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;
/** Reads a flag. */
export const flag = (value: unknown): boolean | undefined => (typeof value === 'boolean' ? value : undefined);

/**
 * Leaves a picture or a film without a preview. The library would read pictures with native code and films with a command line.
 * What tenants send is not for that: one file that breaks it would end all sessions of the process. Phones make their own.
 */
export const NO_PREVIEW = { jpegThumbnail: null } as unknown as { jpegThumbnail: undefined };
