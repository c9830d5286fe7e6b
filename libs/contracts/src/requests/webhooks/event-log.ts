import { ApiProperty, ApiPropertyOptional, PickType } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
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
import { defineRequest } from '../../contract.js';
import { PUBLIC_EVENTS, type PublicEvent } from '../../enums.js';
import { PageQuery } from '../../http/page.js';

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

/** Query of `GET /v1/events/stream`: as of the log, which it goes on from. */
export class EventStreamQuery extends PickType(EventLogQuery, ['event', 'sessionId']) {
  @ApiPropertyOptional({
    description:
      'Where to go on: `nextCursor` of `GET /v1/events`, or the id of the last event of a stream. Left out: from now on. The header `Last-Event-ID` takes its place.',
    maxLength: 512,
  })
  @IsOptional()
  @IsString()
  @MaxLength(512)
  after?: string;
}

/** One event of a tenant, whether an endpoint was subscribed to it or not. */
export class LoggedEvent {
  @ApiProperty({
    description:
      'Event id. Its delivery to an endpoint has the UUID of version 5 of both ids, one after the other as text, in the namespace b0d7a3a4-2f0c-5b0e-9a57-6d1f4c1f9f57: so what came by webhook can be told from what did not.',
    format: 'uuid',
  })
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
  /** In place of `after`, of who has read nothing because there was no event: when that was, as a reply said it. */
  @IsOptional() @IsISO8601() emptyAt?: string;
  @IsOptional() @IsString() event?: string;
  @IsOptional() @IsUUID() sessionId?: string;
}

/** Reply of `read-event-log`. */
export class EventLogReply {
  @IsArray() @ValidateNested({ each: true }) @Type(() => LoggedEvent) events: LoggedEvent[];
  /** Number in the log of each event; an older dispatcher tells the last one only, as `position`. */
  @IsOptional() @IsArray() @Matches(/^\d{1,18}$/, { each: true }) positions?: string[];
  /** Number in the log up to which it was read. */
  @IsOptional() @Matches(/^\d{1,18}$/) position: string | null;
  /** When it was read, where there is no event; an older dispatcher does not tell it. */
  @IsOptional() @IsISO8601() emptyAt?: string;
  @IsBoolean() more: boolean;
}

/**
 * Reads a tenant's events in order of arrival. `CURSOR_EXPIRED` where that of `after` is not kept any more, or one that came
 * after `emptyAt` need not be.
 */
export const ReadEventLog = defineRequest(
  'webhook-dispatcher',
  'read-event-log',
  ReadEventLogV1,
  EventLogReply,
);

/** Request of `find-event-log-ends`. */
export class FindEventLogEndsV1 {
  @IsUUID(undefined, { each: true }) @ArrayMaxSize(1_000) tenantIds: string[];
}

/** Reply of `find-event-log-ends`. */
class EventLogEnds {
  /** The number of the last event per tenant, in the order of the question; `0`: none. */
  @Matches(/^\d{1,18}$/, { each: true }) ends: string[];
  /** When that was so; an older dispatcher does not tell it. */
  @IsOptional() @IsISO8601() at?: string;
}

/** Tells where the logs of tenants end: much less work than reading them. */
export const FindEventLogEnds = defineRequest(
  'webhook-dispatcher',
  'find-event-log-ends',
  FindEventLogEndsV1,
  EventLogEnds,
);

/** Notice that logs have grown: stored nowhere and lost now and then, so whoever hears it asks by itself, too. */
export class EventLogGrew {
  static readonly subject = 'notice.webhook-dispatcher.event-log-grew';
  @IsUUID(undefined, { each: true }) tenantIds: string[];
}
