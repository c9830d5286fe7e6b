import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBase64,
  IsIn,
  IsInt,
  IsObject,
  IsString,
  Length,
  Max,
  Min,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { ADDRESSINGS, type Addressing } from '../../inbound/inbound.js';
import { SENT_STATUSES, type SentStatus } from '../../people/messages.js';
import { MayBeAbsent } from '../../http/may-be-absent.js';
import { ReceivedContentView, WrittenContentBody } from './content-bodies.js';
import { IsPhone } from '../../http/phone.js';

const MOST_FLAWS = 1_000;

export class FlawsBody {
  @ApiPropertyOptional({
    description: 'How often it is put on the wire broken, so that the client asks for it again.',
    example: 2,
    default: 0,
  })
  @MayBeAbsent()
  @IsInt()
  @Min(0)
  @Max(MOST_FLAWS)
  undecryptable?: number;

  @ApiPropertyOptional({ description: 'How often it comes at first.', example: 2, default: 1 })
  @MayBeAbsent()
  @IsInt()
  @Min(1)
  @Max(MOST_FLAWS)
  copies?: number;
}

export class WriteMessage {
  @ApiPropertyOptional({
    description: 'Phone of whom it goes to. Either this or `group`.',
    example: '4915550001000',
  })
  @ValidateIf((body: WriteMessage) => body.to !== undefined || body.group === undefined)
  @IsPhone()
  to?: string;

  @ApiPropertyOptional({
    description: 'Address of a group that the contact belongs to.',
    example: '120363000000000001@g.us',
  })
  @MayBeAbsent()
  @IsString()
  @Length(1, 100)
  group?: string;

  @ApiPropertyOptional({
    description: 'Text of the message. Exactly one of this, `content` and `message`.',
    example: 'Are you open?',
  })
  @MayBeAbsent()
  @IsString()
  @Length(1, 65_536)
  text?: string;

  @ApiPropertyOptional({
    description: 'A message of any kind, with its file.',
    example: { type: 'image', caption: 'The receipt', media: { size: 100000 } },
    type: WrittenContentBody,
  })
  @MayBeAbsent()
  @ValidateNested()
  @Type(() => WrittenContentBody)
  content?: WrittenContentBody;

  @ApiPropertyOptional({
    description: 'Any message of the platform, as JSON of its protobuf; bytes in base64.',
    example: { locationMessage: { degreesLatitude: 52.52, degreesLongitude: 13.4 } },
    type: Object,
  })
  @MayBeAbsent()
  @IsObject()
  message?: Record<string, unknown>;

  @ApiPropertyOptional({
    description:
      'What is sealed in place of the message, in base64: bytes that are no message, or one that is padded by hand.',
    example: '//8B',
  })
  @MayBeAbsent()
  @IsBase64()
  plaintext?: string;

  @ApiPropertyOptional({
    description:
      'Address it comes from. pn, lid: with the other one beside it. pn-only: without. broadcast: through a list of people. hosted: from a device that a provider keeps for a business.',
    enum: ADDRESSINGS,
    example: 'pn',
    default: 'lid',
  })
  @MayBeAbsent()
  @IsIn(ADDRESSINGS)
  addressing?: Addressing;

  @ApiPropertyOptional({
    description: "What is wrong with it on the wire; by default what the account's faults say.",
    example: { undecryptable: 2 },
    type: FlawsBody,
  })
  @MayBeAbsent()
  @ValidateNested()
  @Type(() => FlawsBody)
  flaws?: FlawsBody;

  @ApiPropertyOptional({
    description:
      'Attributes of its stanza that are other than the platform would set, whatever they say; null leaves one out.',
    example: { t: 'yesterday', notify: 'Ada\u0000' },
    type: Object,
  })
  @MayBeAbsent()
  @IsObject()
  attributes?: Record<string, string | null>;

  @ApiPropertyOptional({
    description:
      'Attributes of the sealed part of its stanza that are other than the platform would set; null leaves one out. Not in groups.',
    example: { type: 'msmsg' },
    type: Object,
  })
  @MayBeAbsent()
  @IsObject()
  sealedAttributes?: Record<string, string | null>;

  @ApiPropertyOptional({
    description: 'Parts of its stanza before the sealed one, as `/stanzas` takes them. Not in groups.',
    example: [{ tag: 'verified_name', content: { base64: '//8B' } }],
    type: [Object],
  })
  @MayBeAbsent()
  @IsArray()
  @ArrayMaxSize(10)
  @IsObject({ each: true })
  parts?: Record<string, unknown>[];
}

export class WrittenMessage {
  @ApiProperty({ description: 'Id on the wire.', example: '8F3A0C5B7D1E42969F0B6A1C2D3E4F50' })
  id: string;
}

export class FromAccount {
  @ApiProperty({ description: 'Phone of the account that wrote the messages.', example: '4915550001000' })
  @IsPhone()
  from: string;
}

export class MaybeFromAccount {
  @ApiPropertyOptional({ description: 'Only messages of this account.', example: '4915550001000' })
  @MayBeAbsent()
  @IsPhone()
  from?: string;
}

export class MaybeToAccount {
  @ApiPropertyOptional({ description: 'Only messages to this account.', example: '4915550001000' })
  @MayBeAbsent()
  @IsPhone()
  to?: string;
}

export class ReadCount {
  @ApiProperty({ description: 'How many messages were unread until now.', example: 2 })
  read: number;
}

export class PlayedCount {
  @ApiProperty({ description: 'How many were listened to, for the first time or again.', example: 1 })
  played: number;
}

/** Filter of the messages of a contact: the last `limit` of an account's that came before another. */
export class ReceivedQuery extends MaybeFromAccount {
  @ApiPropertyOptional({
    description: 'Only what came before the message with this id.',
    example: '3EB0C431C26A1916E07A',
  })
  @MayBeAbsent()
  @IsString()
  @Length(1, 100)
  before?: string;

  @ApiPropertyOptional({ description: 'Only the last ones, so many; left out: all.', example: 50 })
  @MayBeAbsent()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  limit?: number;
}

export class ReceivedView {
  @ApiProperty({ description: 'Id on the wire.', example: '3EB0C431C26A1916E07A' })
  id: string;

  @ApiProperty({ description: 'Phone of the account that wrote it.', example: '4915550001000' })
  from: string;

  @ApiProperty({
    description: 'Address of the group it came in; null: in none.',
    example: null,
    type: String,
    nullable: true,
  })
  group: string | null;

  @ApiProperty({ description: 'Its words, if it has any.', example: 'Hello', type: String, nullable: true })
  text: string | null;

  @ApiProperty({
    description: 'The decrypted message, bytes in base64.',
    example: { extendedTextMessage: { text: 'Hello' } },
    type: Object,
  })
  message: unknown;

  @ApiProperty({
    description: 'What it says, in the words that contacts write in.',
    type: ReceivedContentView,
  })
  content: ReceivedContentView;

  @ApiProperty({ description: 'When it arrived.', example: '2026-01-05T09:30:00.000Z' })
  receivedAt: string;

  @ApiProperty({ description: 'How often the platform saw the same id again.', example: 0 })
  duplicates: number;
}

export class ReceivedList {
  @ApiProperty({ description: 'In order of arrival.', type: [ReceivedView] })
  items: ReceivedView[];
}

export class SentView {
  @ApiProperty({ description: 'Id on the wire.', example: '8F3A0C5B7D1E42969F0B6A1C2D3E4F50' })
  id: string;

  @ApiProperty({
    description: 'Phone of the account, or address of the group, it was written to.',
    example: '4915550001000',
  })
  to: string;

  @ApiProperty({
    description: 'Its words, if it has any.',
    example: 'Are you open?',
    type: String,
    nullable: true,
  })
  text: string | null;

  @ApiProperty({
    description:
      'QUEUED: no device took it. SENT: on the wire. DELIVERED: a receipt came. READ: a read receipt came.',
    enum: SENT_STATUSES,
    example: 'DELIVERED',
  })
  status: SentStatus;

  @ApiProperty({ description: 'How often it was put on the wire.', example: 1 })
  deliveries: number;

  @ApiProperty({ description: 'How many receipts came back.', example: 1 })
  receipts: number;
}

export class SentList {
  @ApiProperty({ description: 'In order of writing.', type: [SentView] })
  items: SentView[];
}
