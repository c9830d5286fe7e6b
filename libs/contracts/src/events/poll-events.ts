import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsArray, IsBoolean, IsInt, IsISO8601, IsOptional, IsString, IsUUID, Min } from 'class-validator';
import { defineEvent } from '../contract.js';
import { ConversationIdField } from '../content/message-names.js';

/** Payload of `message.poll_vote`. */
export class MessagePollVoteV1 {
  @ApiProperty({ description: 'Session that received the vote.', format: 'uuid' })
  @IsUUID()
  sessionId: string;

  @ApiProperty({ description: 'Service message id of the vote.', format: 'uuid' })
  @IsUUID()
  messageId: string;

  @ApiProperty({
    description:
      'Id of the poll: the job id of its send, or the service message id of one that was received.',
    format: 'uuid',
  })
  @IsUUID()
  pollId: string;

  @ApiProperty({ description: 'Platform message key of the poll.', example: '3EB0C0FFEE' })
  @IsString()
  pollKeyId: string;

  @ApiProperty({
    description: 'Address of who wrote the poll; that of the number itself, of a poll of its own.',
    example: '4915187654321@s.whatsapp.net',
  })
  @IsString()
  pollAuthor: string;

  @ApiProperty({
    description: 'Address of the chat, of the contact or of the group: answers go to it.',
    example: '4915112345678@s.whatsapp.net',
  })
  @IsString()
  chatId: string;

  @ApiProperty({
    description: "The voter's address; answers go to `chatId`.",
    example: '4915112345678@s.whatsapp.net',
  })
  @IsString()
  remoteJid: string;

  @ApiPropertyOptional({
    description: 'Address behind which the platform hides the number of the voter, where both are known.',
    example: '123456789012345@lid',
  })
  @IsOptional()
  @IsString()
  hiddenJid?: string;

  @ApiProperty({
    description: "The voter's phone number in E.164 form; null where the platform hides it.",
    type: String,
    nullable: true,
    example: '+4915112345678',
  })
  @IsOptional()
  @IsString()
  phone: string | null;

  @ApiProperty({
    description: "The voter's display name.",
    type: String,
    nullable: true,
    example: 'Ada',
  })
  @IsOptional()
  @IsString()
  pushName: string | null;

  @ApiProperty({ description: 'Whether the chat is a group.', example: false })
  @IsBoolean()
  isGroup: boolean;

  @ConversationIdField() conversationId?: string;

  @ApiProperty({
    description: 'True for a vote of the own number, given on the phone or on another device.',
    example: false,
  })
  @IsBoolean()
  fromMe: boolean;

  @ApiProperty({
    description:
      'Options that the voter has chosen, by name, in the order of the poll. They replace those of any earlier vote of the same voter; none: the vote is taken back.',
    type: [String],
    example: ['yes'],
  })
  @IsArray()
  @IsString({ each: true })
  options: string[];

  @ApiPropertyOptional({
    description: 'Number of choices that are no option of the poll as it was sent, if any are.',
    type: 'integer',
    minimum: 1,
    example: 1,
  })
  @IsOptional()
  @IsInt()
  @Min(1)
  unknownOptions?: number;

  @ApiPropertyOptional({
    description: 'True where the vote could not be read: `options` says nothing then.',
    example: true,
  })
  @IsOptional()
  @IsBoolean()
  unreadable?: boolean;

  @ApiProperty({
    description: "When the voter's device says that it was given (ISO 8601, UTC).",
    example: '2026-01-31T12:00:00.120Z',
  })
  @IsISO8601()
  votedAt: string;

  @ApiProperty({
    description: 'When the platform took the vote (ISO 8601, UTC).',
    example: '2026-01-31T12:00:00.000Z',
  })
  @IsISO8601()
  timestamp: string;
}

/** A vote was given in a poll, changed, or taken back. */
export const MessagePollVote = defineEvent('message.poll_vote', 1, MessagePollVoteV1, {
  public: true,
  summary:
    'Somebody voted in a poll, changed the vote or took it back. Answers go to `chatId`. Only an endpoint that names this event gets it.',
  by: ['session-worker'],
  onlyNamed: true,
});
/** Events of polls, in the order of the description. */
export const POLL_EVENTS = [MessagePollVote] as const;
