import { ApiProperty, ApiPropertyOptional, IntersectionType } from '@nestjs/swagger';
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
import { PUBLIC_EVENTS, type PublicEvent } from '../../events/events.js';
import { TimeBound } from '../instant.js';
import { PageQuery } from '../page.js';

/** States of a delivery. `PENDING`: on its way; `HELD`: a pause of its endpoint holds it back; `DEAD`: given up. */
export const DELIVERY_STATUSES = ['PENDING', 'HELD', 'DELIVERED', 'DEAD'] as const;
/** Value of `DELIVERY_STATUSES`. */
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** Filter of deliveries by their events; fields narrow each other. */
export class EventFilter {
  @ApiPropertyOptional({
    description: 'Only deliveries of this event.',
    enum: PUBLIC_EVENTS,
    example: 'message.received',
  })
  @IsOptional()
  @IsIn(PUBLIC_EVENTS)
  event?: PublicEvent;

  @TimeBound('Only deliveries of events from this time on', '2026-01-31T12:00:00Z')
  since?: string;

  @TimeBound('Only deliveries of events before this time', '2026-02-01T12:00:00Z')
  until?: string;
}

/** Query of `GET /v1/webhooks/:id/dead-letters`. */
export class DeadLettersQuery extends IntersectionType(PageQuery, EventFilter) {}

/** Query of `GET /v1/webhooks/:id/deliveries`. */
export class DeliveriesQuery extends DeadLettersQuery {
  @ApiPropertyOptional({
    description: 'Only deliveries that stand here.',
    enum: DELIVERY_STATUSES,
    example: 'DELIVERED',
  })
  @IsOptional()
  @IsIn(DELIVERY_STATUSES)
  status?: DeliveryStatus;
}

/** Attempt of a delivery: one HTTP POST to an endpoint. */
export class DeliveryAttempt {
  @ApiProperty({ description: 'Number of the attempt, from 1.', type: 'integer', example: 1 })
  @IsInt()
  attempt: number;

  @ApiProperty({ description: 'When it started (ISO 8601, UTC).', example: '2026-01-31T12:00:00.000Z' })
  @IsISO8601()
  startedAt: string;

  @ApiProperty({ description: 'How long it took, in milliseconds.', type: 'integer', example: 42 })
  @IsInt()
  durationMs: number;

  @ApiProperty({
    description: 'Status the receiver answered; null when there was no answer.',
    type: 'integer',
    nullable: true,
    example: 200,
  })
  @IsOptional()
  @IsInt()
  status: number | null;

  @ApiProperty({
    description: 'What went wrong; null after a 2xx.',
    type: String,
    nullable: true,
    example: 'TIMEOUT',
  })
  @IsOptional()
  @IsString()
  error: string | null;

  @ApiProperty({
    description: 'Whether it was a replay: one more attempt, outside the schedule of five.',
    example: false,
  })
  @IsBoolean()
  replay: boolean;

  @ApiPropertyOptional({
    description:
      'The first 4096 bytes of what the receiver answered, as text: bytes that are not UTF-8, or belong to a character that is cut off there, are replaced by U+FFFD. Of the latest 20 attempts; not in lists.',
    example: '{"ok":true}',
  })
  @IsOptional()
  @IsString()
  responseHead?: string;
}

/** Delivery: one (event, endpoint) pair. */
export class DeliveryView {
  @ApiProperty({ description: 'Delivery id, the same in every attempt.', format: 'uuid' })
  @IsUUID()
  deliveryId: string;

  @ApiProperty({ description: 'Endpoint it goes to.', format: 'uuid' })
  @IsUUID()
  endpointId: string;

  @ApiProperty({ description: 'Id of the event, as in `GET /v1/events`.', format: 'uuid' })
  @IsUUID()
  eventId: string;

  @ApiProperty({ description: 'Event name.', example: 'message.received' })
  @IsString()
  event: string;

  @ApiProperty({
    description:
      'Where it stands. PENDING: on its way. HELD: its endpoint is paused or disabled, as `status` and `pausedReason` of the endpoint say; it goes out once that is active again. DEAD: given up, a replay tries once more.',
    enum: DELIVERY_STATUSES,
    example: 'DELIVERED',
  })
  @IsIn(DELIVERY_STATUSES)
  status: DeliveryStatus;

  @ApiProperty({
    description:
      'When the next attempt is due (ISO 8601, UTC); null where none is: under way, finished, or HELD.',
    type: String,
    nullable: true,
    example: '2026-01-31T12:00:30.000Z',
  })
  @IsOptional()
  @IsISO8601()
  nextAttemptAt: string | null;

  @ApiProperty({
    description: 'Why it was given up: what went wrong last; null unless it is DEAD.',
    type: String,
    nullable: true,
    example: 'HTTP_503',
  })
  @IsOptional()
  @IsString()
  deadReason: string | null;

  @ApiProperty({
    description: 'When it was given up (ISO 8601, UTC); null unless it is DEAD.',
    type: String,
    nullable: true,
    example: '2026-01-31T13:12:31.000Z',
  })
  @IsOptional()
  @IsISO8601()
  deadAt: string | null;

  @ApiProperty({
    description:
      'Every attempt, oldest first: of a delivery by itself up to the latest 1000, in lists the latest 20. The number of the last says how many there were.',
    type: [DeliveryAttempt],
  })
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => DeliveryAttempt)
  attempts: DeliveryAttempt[];

  @ApiProperty({
    description: 'When the event was taken in (ISO 8601, UTC).',
    example: '2026-01-31T12:00:00.000Z',
  })
  @IsISO8601()
  createdAt: string;
}
