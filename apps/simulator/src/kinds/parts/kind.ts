import { applyDecorators, type Type } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import type { OutboundType } from '@svc/contracts';
import type { proto } from '@whiskeysockets/baileys/WAProto/index.js';
import { IsInt, IsString, Length, Min } from 'class-validator';
import { MayBeAbsent } from '../../http/may-be-absent.js';

/** A kind of content that people write and receive: all that sessions send, and votes. What is none of them is `unsupported`. */
export type Kind = Exclude<OutboundType, 'delete'> | 'revoke' | 'vote';

/** Types by which the stanza around a message announces it. */
export interface StanzaTypes {
  type: string;
  mediatype?: string;
  edit?: string;
}

/** Purpose of words that are sealed by the secret of an earlier message: a part of their key. */
export type SealLabel = 'Poll Vote' | 'Message Edit';

/** Seals words by the secret of an earlier message. */
export type Seal = (label: SealLabel, words: Buffer) => { encPayload: Buffer; encIv: Buffer };

/** Messages and files that a new message may refer to. */
export interface ComposeContext {
  /** Place of the file, and the keys that open it. */
  media?: object;
  /** The message that it changes or reacts to. */
  target?: proto.IMessageKey;
  /** Seal by the secret of that message. */
  seal?: Seal;
  /** The message that it answers, and the people that it names. */
  contextInfo?: proto.IContextInfo;
}

/** Form of a kind: one way in which the platform writes it, in a field of its message. */
export interface Form<Field, Body> {
  /** Announces it on the wire; without this it is announced as text. */
  stanza?(field: Field): StanzaTypes | undefined;
  /** Reads the text that a list of messages shows. */
  words?(field: Field): string | null | undefined;
  /** Reads what it says; undefined: the field is used for another kind. `inner` reads a message inside of it. */
  describe?(field: Field, inner: (message: proto.IMessage) => object): Body | undefined;
}

/** Rules of one kind of content: all that the simulator needs for it. */
export interface KindRules<Body extends object = object> {
  /** Fields of the control API, in the form of the gateway's `MessageBody`. */
  body: Type<Body>;
  /** Fields without which it says nothing. */
  required: readonly (keyof Body)[];
  /** Makes a message of the platform. */
  compose(content: Body, context: ComposeContext): proto.IMessage;
  /** Forms of the kind, by the name of the field. */
  forms: { [Name in keyof proto.IMessage]?: Form<NonNullable<proto.IMessage[Name]>, Body> };
}

/** Announces a message as a file or a card. */
export const media = (mediatype: string) => (): StanzaTypes => ({ type: 'media', mediatype });

/** Drops the fields that a message does not have. */
export function withoutNulls<T extends object>(fields: T): { [Name in keyof T]: NonNullable<T[Name]> } {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(present) as { [Name in keyof T]: NonNullable<T[Name]> };
}

const LONGEST_TEXT = 65_536;

const TextField = (description: string, example: string, longest: number): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ description, example }),
    MayBeAbsent(),
    IsString(),
    Length(1, longest),
  );

// Fields that several kinds share.

export const Words = (): PropertyDecorator =>
  TextField('The words of a text or an edit.', 'Are you open?', LONGEST_TEXT);

export const Caption = (): PropertyDecorator =>
  TextField('Words below an image, a video or a document.', 'The receipt', LONGEST_TEXT);

export const MimeType = (): PropertyDecorator =>
  TextField('Media type of the file; usual for its kind.', 'image/jpeg', 200);

export const Name = (): PropertyDecorator =>
  TextField('Name of a place, or question of a poll.', 'Main station', 300);

export const Seconds = (): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ description: 'Length of an audio or a video.', example: 12 }),
    MayBeAbsent(),
    IsInt(),
    Min(0),
  );

export const TargetKeyId = (): PropertyDecorator =>
  TextField(
    'Id on the wire of the message that a reaction, an edit or a revocation is about.',
    '3EB0C431C26A1916E07A',
    100,
  );
