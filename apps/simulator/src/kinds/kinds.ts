import type { Type } from '@nestjs/common';
import { ApiPropertyOptional, IntersectionType } from '@nestjs/swagger';
import { CONTENT, type MediaKind } from '@svc/contracts';
import { ArrayMaxSize, IsArray, IsBoolean, IsInt, IsString, Length, Min } from 'class-validator';
import { MayBeAbsent } from '../http/may-be-absent.js';
import { ArePhones } from '../http/phone.js';
import { audio } from './audio.js';
import { contact } from './contact.js';
import { document } from './document.js';
import { edit } from './edit.js';
import { image } from './image.js';
import type { Kind, KindRules } from './parts/kind.js';
import { location } from './location.js';
import { poll } from './poll.js';
import { reaction } from './reaction.js';
import { revoke } from './revoke.js';
import { vote } from './vote.js';
import { sticker } from './sticker.js';
import { text } from './text.js';
import { video } from './video.js';

const RULES = {
  text,
  image,
  video,
  audio,
  document,
  sticker,
  location,
  contact,
  poll,
  reaction,
  edit,
  revoke,
  vote,
} satisfies Record<Kind, KindRules>;

/** The rules of each kind; a kind without rules does not compile. */
export const KIND_RULES: Record<Kind, KindRules> = RULES;

/** Names of all kinds. */
export const KINDS = Object.keys(RULES) as Kind[];

/** The kind of file that content of a kind has; undefined: it has none. */
export function fileKindOf(kind: Kind): MediaKind | undefined {
  const isFile = kind !== 'revoke' && kind !== 'vote' && CONTENT[kind].sending.hasFile;
  return isFile ? (kind as MediaKind) : undefined;
}

/** Fields that every kind may have. */
class CommonBody {
  @ApiPropertyOptional({ description: 'It may be looked at only once.', example: false })
  @MayBeAbsent()
  @IsBoolean()
  viewOnce?: boolean;

  @ApiPropertyOptional({
    description: 'Id on the wire of the message that this one answers.',
    example: '3EB0C431C26A1916E07A',
  })
  @MayBeAbsent()
  @IsString()
  @Length(1, 100)
  quotedKeyId?: string;

  @ApiPropertyOptional({ description: 'Phones named in it.', example: ['4915550001000'], type: [String] })
  @MayBeAbsent()
  @IsArray()
  @ArrayMaxSize(100)
  @ArePhones()
  mentions?: string[];

  @ApiPropertyOptional({
    description: 'Seconds after which phones delete it: the timer of its chat.',
    example: 86400,
    type: 'integer',
  })
  @MayBeAbsent()
  @IsInt()
  @Min(1)
  disappearsAfter?: number;
}

type Together<Union> = (Union extends unknown ? (each: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never;
type Fields = CommonBody & Together<InstanceType<(typeof RULES)[Kind]['body']>>;

/** Content of a message, in the form of the gateway's `MessageBody`: the fields of all kinds. */
export const ContentBody = IntersectionType(
  CommonBody,
  ...Object.values(KIND_RULES).map(({ body }) => body),
) as Type<Fields>;
export type ContentFields = Fields;

/** Content that a person writes. */
export interface WrittenContent extends ContentFields {
  type: Kind;
}

/** File as a phone shows it, or the reason why it cannot. */
export interface ReceivedMedia {
  bytes: number;
  sha256: string;
  /** Reason why the file cannot be opened; null: it can. */
  problem: string | null;
}

/** Content that a person sees of a message. */
export interface ReceivedContent extends ContentFields {
  type: Kind | 'unsupported';
  /** The platform's name of what is unsupported. */
  original?: string;
  media?: ReceivedMedia;
}
