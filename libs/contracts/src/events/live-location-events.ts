import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  IsBoolean,
  IsInt,
  IsISO8601,
  IsNumber,
  IsOptional,
  IsString,
  IsUUID,
  Min,
  ValidateNested,
} from 'class-validator';
import { LiveLocation } from '../content/message-details.js';
import { defineEvent } from '../contract.js';
import { ConversationIdField } from '../content/message-names.js';

/** Payload of `message.live_location`. */
export class MessageLiveLocationV1 {
  @ApiProperty({ description: 'Session that received the place.', format: 'uuid' })
  @IsUUID()
  sessionId: string;

  @ApiProperty({ description: 'Service message id of the place.', format: 'uuid' })
  @IsUUID()
  messageId: string;

  @ApiProperty({
    description: 'Address of the chat, of the contact or of the group: answers go to it.',
    example: '4915112345678@s.whatsapp.net',
  })
  @IsString()
  chatId: string;

  @ApiProperty({
    description: 'Address of who is on the way; answers go to `chatId`.',
    example: '4915112345678@s.whatsapp.net',
  })
  @IsString()
  remoteJid: string;

  @ApiProperty({
    description: 'Phone number of who is on the way in E.164 form; null where the platform hides it.',
    type: String,
    nullable: true,
    example: '+4915112345678',
  })
  @IsOptional()
  @IsString()
  phone: string | null;

  @ApiProperty({
    description: 'Display name of who is on the way.',
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

  @ApiProperty({ description: 'True for a place of the own number, shared on the phone.', example: false })
  @IsBoolean()
  fromMe: boolean;

  @ApiProperty({ description: 'Degrees of latitude.', example: 52.52 })
  @IsNumber()
  latitude: number;

  @ApiProperty({ description: 'Degrees of longitude.', example: 13.405 })
  @IsNumber()
  longitude: number;

  @ApiProperty({
    description: 'Seconds since the first place of this way, which came as `message.received`.',
    type: 'integer',
    minimum: 1,
    example: 15,
  })
  @IsInt()
  @Min(1)
  secondsOn: number;

  @ApiProperty({ description: 'What the place says besides.', type: LiveLocation })
  @ValidateNested()
  @Type(() => LiveLocation)
  liveLocation: LiveLocation;

  @ApiProperty({
    description: 'When the platform took the place (ISO 8601, UTC).',
    example: '2026-01-31T12:00:00.000Z',
  })
  @IsISO8601()
  timestamp: string;
}

/** Tells the next place of a sender who shares the way (live location). */
export const MessageLiveLocation = defineEvent('message.live_location', 1, MessageLiveLocationV1, {
  public: true,
  summary:
    'Somebody who shares the way is at another place. Answers go to `chatId`. Only an endpoint that names this event gets it: places come every few seconds.',
  by: ['session-worker'],
  onlyNamed: true,
});
/** Events of live locations, in the order of the description. */
export const LIVE_LOCATION_EVENTS = [MessageLiveLocation] as const;
