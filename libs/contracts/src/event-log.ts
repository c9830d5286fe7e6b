import { ApiProperty, ApiPropertyOptional, PickType } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsISO8601,
  IsObject,
  IsOptional,
  IsString,
  IsUUID,
  Matches,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import { defineRequest } from './contract.js';
import { PUBLIC_EVENTS, type PublicEvent } from './enums.js';
import { PageQuery } from './page.js';

/** Query of `GET /v1/events`: filters narrow each other. */
export class EventLogQuery extends PickType(PageQuery, ['limit']) {
  @ApiPropertyOptional({
    description: 'Cursor of the page before; left out: from the oldest event that is kept.',
    maxLength: 512,
  })
  @IsOptional()
  @IsString()
  @MaxLength(512)
  after?: string;

  @ApiPropertyOptional({ description: 'Only this event.', enum: PUBLIC_EVENTS, example: 'message.received' })
  @IsOptional()
  @IsIn(PUBLIC_EVENTS)
  event?: PublicEvent;

  @ApiPropertyOptional({ description: 'Only events of this session.', format: 'uuid' })
  @IsOptional()
  @IsUUID()
  sessionId?: string;
}

/** One event of a tenant, whether an endpoint was subscribed to it or not. */
export class LoggedEvent {
  @ApiProperty({ description: 'Event id.', format: 'uuid' })
  @IsUUID()
  id: string;

  @ApiProperty({ description: 'Event name.', example: 'message.received' })
  @IsString()
  event: string;

  @ApiProperty({
    description: 'When the event was taken in (ISO 8601, UTC).',
    example: '2026-01-31T12:00:00.000Z',
  })
  @IsISO8601()
  createdAt: string;

  @ApiProperty({
    description: 'Event data, the same as in the webhook.',
    type: 'object',
    additionalProperties: true,
    example: { sessionId: '0198c0de-0000-7000-8000-000000000001' },
  })
  @IsObject()
  payload: object;
}

/** Answer of `GET /v1/events`. */
export class EventLogPage {
  @ApiProperty({
    description:
      'Events in order of arrival. A page may hold fewer than `limit`, or none, although there are more.',
    type: [LoggedEvent],
  })
  items: LoggedEvent[];

  @ApiProperty({
    description:
      'Where the page ends: keep it and give it as `after` next time. null: there is no event yet.',
    type: String,
    nullable: true,
  })
  nextCursor: string | null;

  @ApiProperty({ description: 'Whether there are events after this page already.', example: false })
  more: boolean;
}

/** Request of `read-event-log`. */
export class ReadEventLogV1 {
  @IsUUID() tenantId: string;
  @IsInt() @Min(1) @Max(200) limit: number;
  /** Number in the log of the last event read. */
  @IsOptional() @Matches(/^\d{1,18}$/) after?: string;
  @IsOptional() @IsString() event?: string;
  @IsOptional() @IsUUID() sessionId?: string;
}

/** Reply of `read-event-log`. */
export class EventLogReply {
  @IsArray() @ValidateNested({ each: true }) @Type(() => LoggedEvent) events: LoggedEvent[];
  /** Number in the log up to which it was read. */
  @IsOptional() @Matches(/^\d{1,18}$/) position: string | null;
  @IsBoolean() more: boolean;
}

/** Reads a tenant's events in order of arrival. `CURSOR_EXPIRED` where that of `after` is not kept any more. */
export const ReadEventLog = defineRequest(
  'webhook-dispatcher',
  'read-event-log',
  ReadEventLogV1,
  EventLogReply,
);
