import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsISO8601,
  IsOptional,
  IsString,
  IsUUID,
  ValidateNested,
} from 'class-validator';
import { defineEvent } from '../contract.js';
import { MessageBody } from '../content/message-body.js';
import {
  ContactCard,
  LiveLocation,
  MessageChange,
  MessageMedia,
  MessageReferral,
  OfferedChoice,
  QuotedInbound,
  UNSUPPORTED_REASONS,
  type UnsupportedReason,
} from '../content/message-details.js';
import {
  ApiIdField,
  ContactField,
  ConversationIdField,
  DirectionField,
  type MessageDirection,
} from '../content/message-names.js';
import { MessageFailedV1, OutboundMessageV1 } from './outbound-message.js';

/** Payload of `message.received` (specification, "Message payload"); what comes after `pushName` is ours. */
export class MessageReceivedV1 {
  @ApiProperty({ description: 'Session that received the message.', format: 'uuid' })
  @IsUUID()
  sessionId: string;

  @ApiProperty({ description: 'Service message id.', format: 'uuid' })
  @IsUUID()
  messageId: string;

  @ApiProperty({
    description: 'Address of the chat, of the contact or of the group: answers go to it.',
    example: '4915112345678@s.whatsapp.net',
  })
  @IsOptional()
  @IsString()
  chatId?: string;

  @ApiProperty({
    description: "The sender's address; in a group, one of its members. Answers go to `chatId`.",
    example: '4915112345678@s.whatsapp.net',
  })
  @IsString()
  remoteJid: string;

  @ApiProperty({ description: 'Whether the chat is a group.', example: false })
  @IsOptional()
  @IsBoolean()
  isGroup?: boolean;

  @ApiPropertyOptional({
    description: 'True for a message that names the number of the session: in a group, it is meant for it.',
    example: true,
  })
  @IsOptional()
  @IsBoolean()
  mentionsMe?: boolean;

  @ApiProperty({
    description:
      'True for a message that was written on the own phone, or on another device of the number: no contact wrote it, `remoteJid` is the number itself and `chatId` the chat. An endpoint hears it where `hears.own` is true. What is sent through the API is not told so.',
    example: false,
  })
  @IsBoolean()
  fromMe: boolean;

  @ApiPropertyOptional({
    description:
      'What it does to an earlier message, of an edit or a revocation. An endpoint hears it where `hears.changes` is true.',
    type: MessageChange,
  })
  @IsOptional()
  @ValidateNested()
  @Type(() => MessageChange)
  change?: MessageChange;

  @ApiProperty({ description: 'Platform message key.', example: '3EB0C0FFEE' })
  @IsString()
  keyId: string;

  @ApiProperty({ description: 'Content; check `type` first.', type: MessageBody })
  @ValidateNested()
  @Type(() => MessageBody)
  body: MessageBody;

  @ApiProperty({
    description: "The sender's display name.",
    type: String,
    nullable: true,
    example: 'Ada',
  })
  @IsOptional()
  @IsString()
  pushName: string | null;

  @ApiProperty({
    description: "The sender's phone number in E.164 form; null where the platform hides it.",
    type: String,
    nullable: true,
    example: '+4915112345678',
  })
  @IsOptional()
  @IsString()
  phone: string | null;

  @ApiProperty({
    description: 'When the platform took the message (ISO 8601, UTC).',
    example: '2026-01-31T12:00:00.000Z',
  })
  @IsISO8601()
  timestamp: string;

  @ApiProperty({
    description:
      'When it arrived here (ISO 8601, UTC): the order of a conversation, also where a file held up its event.',
    example: '2026-01-31T12:00:00.250Z',
  })
  @IsOptional()
  @IsISO8601()
  receivedAt?: string;

  @ConversationIdField() conversationId?: string;
  @ApiIdField() id?: string;
  @ContactField() contact?: string;
  @DirectionField() direction?: MessageDirection;

  @ApiProperty({
    description: 'As receivedAt: the name that `GET /v1/messages` has for it.',
    example: '2026-01-31T12:00:00.250Z',
  })
  @IsOptional()
  @IsISO8601()
  createdAt?: string;

  @ApiPropertyOptional({ description: 'The file, of a message that has one.', type: MessageMedia })
  @IsOptional()
  @ValidateNested()
  @Type(() => MessageMedia)
  media?: MessageMedia;

  @ApiPropertyOptional({ description: 'The message it answers, if it does.', type: QuotedInbound })
  @IsOptional()
  @ValidateNested()
  @Type(() => QuotedInbound)
  quoted?: QuotedInbound;

  @ApiPropertyOptional({
    description: 'Addresses of the people named in it, if any are.',
    type: [String],
    example: ['4915112345678@s.whatsapp.net'],
  })
  @IsOptional()
  @IsArray()
  @IsString({ each: true })
  mentions?: string[];

  @ApiPropertyOptional({
    description:
      'Why its body is `unsupported` where there is a kind for it. UNREADABLE: it could not be read or stored. TOO_LARGE: it is larger than an event may be. WITHHELD: the platform gives it to the phone alone, as it does with one-time codes and with what may be viewed once.',
    enum: UNSUPPORTED_REASONS,
    example: 'WITHHELD',
  })
  @IsOptional()
  @IsIn(UNSUPPORTED_REASONS)
  unsupportedReason?: UnsupportedReason;

  @ApiPropertyOptional({
    description:
      'Of a choice among buttons or rows of a list: the id that whoever offered it gave it. `body` is the text that it reads.',
    example: 'yes-please',
  })
  @IsOptional()
  @IsString()
  choiceId?: string;

  @ApiPropertyOptional({
    description: 'Of a message that offers buttons or a list: what can be chosen, 100 at most.',
    type: [OfferedChoice],
  })
  @IsOptional()
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => OfferedChoice)
  choices?: OfferedChoice[];

  @ApiPropertyOptional({
    description: 'Of an answer to a form: what was filled in, as the JSON text that the platform made of it.',
    example: '{"name":"Ada","slot":"9:00"}',
  })
  @IsOptional()
  @IsString()
  formAnswers?: string;

  @ApiPropertyOptional({
    description:
      'Of a place that somebody shares while on the way. It is the first one; `message.live_location` tells those after it.',
    type: LiveLocation,
  })
  @IsOptional()
  @ValidateNested()
  @Type(() => LiveLocation)
  liveLocation?: LiveLocation;

  @ApiPropertyOptional({
    description:
      'Seconds after which the phones of the chat delete it, where messages disappear there. Here it is kept as any other.',
    type: 'integer',
    minimum: 1,
    example: 604800,
  })
  @IsOptional()
  @IsInt()
  disappearsAfter?: number;

  @ApiPropertyOptional({
    description: 'Of a message with contact cards: the cards, with all their numbers.',
    type: [ContactCard],
  })
  @IsOptional()
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => ContactCard)
  contacts?: ContactCard[];

  @ApiPropertyOptional({
    description:
      'Platform message key of the album that it belongs to: pictures and films with the same one were sent together.',
    example: '3EB0C0FFEE',
  })
  @IsOptional()
  @IsString()
  albumOf?: string;

  @ApiPropertyOptional({ description: 'The advert that brought it, if one did.', type: MessageReferral })
  @IsOptional()
  @ValidateNested()
  @Type(() => MessageReferral)
  referral?: MessageReferral;

  @ApiPropertyOptional({
    description: 'True for what its sender forwarded from another chat.',
    example: true,
  })
  @IsOptional()
  @IsBoolean()
  isForwarded?: boolean;
}

/** A message arrived from a contact. */
export const MessageReceived = defineEvent('message.received', 1, MessageReceivedV1, {
  public: true,
  summary:
    'A message arrived from the customer. Answers go to `chatId`. What is said in groups (`isGroup`) comes, too, unless `hears.groups` is false; a bot answers there where `mentionsMe` is true. What the owner writes on the phone (`fromMe`) comes where `hears.own` is true, edits and revocations (`change`) where `hears.changes` is.',
  by: ['session-worker'],
});
/** The platform's server took an outbound message. */
export const MessageSent = defineEvent('message.sent', 1, OutboundMessageV1, {
  public: true,
  summary: 'An outbound message was sent.',
  by: ['session-worker'],
});
/** The recipient's device has it (two checks). */
export const MessageDelivered = defineEvent('message.delivered', 1, OutboundMessageV1, {
  public: true,
  summary: 'The platform confirmed delivery (two checks).',
  by: ['session-worker'],
});
/** The recipient opened the chat (two blue checks). */
export const MessageRead = defineEvent('message.read', 1, OutboundMessageV1, {
  public: true,
  summary: 'The recipient opened the chat (two blue checks).',
  by: ['session-worker'],
});
/** Sending failed after all retries. */
export const MessageFailed = defineEvent('message.failed', 1, MessageFailedV1, {
  public: true,
  summary: 'Sending failed after all retries.',
  by: ['session-worker'],
});

/** Events of messages, in the order of the description. */
export const MESSAGE_EVENTS = [
  MessageReceived,
  MessageSent,
  MessageDelivered,
  MessageRead,
  MessageFailed,
] as const;
