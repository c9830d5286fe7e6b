import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  IsBoolean,
  IsIn,
  IsInt,
  IsISO8601,
  IsOptional,
  IsString,
  IsUUID,
  Length,
  ValidateNested,
} from 'class-validator';
import { ENDPOINT_STATUSES, type EndpointStatus } from '../../enums.js';
import { BoundedCount } from '../page.js';

const ERROR = {
  description: 'What went wrong; null after a 2xx.',
  type: String,
  nullable: true,
  example: 'TIMEOUT',
};

const STATUS = {
  description: 'Status the receiver answered; null when there was no answer.',
  type: 'integer' as const,
  nullable: true,
  example: 200,
};

const DURATION = { description: 'How long it took, in milliseconds.', type: 'integer' as const, example: 42 };

/** Body of `POST /v1/webhooks/:id/pause` and `/reactivate`. */
export class EndpointReasonBody {
  @ApiPropertyOptional({
    description: 'Why, for whoever looks at the endpoint or the audit log later.',
    example: 'Receiver moves to another host',
    minLength: 1,
    maxLength: 500,
  })
  @IsOptional()
  @IsString()
  @Length(1, 500)
  reason?: string;
}

/** Answer of `POST /v1/webhooks/:id/test`: what came back. */
export class WebhookTestResult {
  @ApiProperty({ description: 'Delivery id of the test event; it is in no list.', format: 'uuid' })
  @IsUUID()
  deliveryId: string;

  @ApiProperty(STATUS)
  @IsOptional()
  @IsInt()
  status: number | null;

  @ApiProperty(ERROR)
  @IsOptional()
  @IsString()
  error: string | null;

  @ApiProperty(DURATION)
  @IsInt()
  durationMs: number;

  @ApiProperty({
    description: 'Beginning of what the receiver answered, 4 KB at most; what is not UTF-8 is replaced.',
    example: 'ok',
  })
  @IsString()
  responseHead: string;
}

/** The last attempt with this outcome. */
export class LastAttempt {
  @ApiProperty({ description: 'When it started (ISO 8601, UTC).', example: '2026-01-31T12:00:00.000Z' })
  @IsISO8601()
  at: string;

  @ApiProperty(STATUS)
  @IsOptional()
  @IsInt()
  status: number | null;

  @ApiProperty(ERROR)
  @IsOptional()
  @IsString()
  error: string | null;

  @ApiProperty(DURATION)
  @IsInt()
  durationMs: number;
}

/** Attempts of the last hour, retries included. */
export class RecentAttempts {
  @ApiProperty({ description: 'Attempts.', type: 'integer', example: 1200 })
  @IsInt()
  attempts: number;

  @ApiProperty({ description: 'Those among them that failed.', type: 'integer', example: 3 })
  @IsInt()
  failures: number;

  @ApiProperty({
    description: 'Median of their durations, in milliseconds; null where there were none.',
    type: 'integer',
    nullable: true,
    example: 35,
  })
  @IsOptional()
  @IsInt()
  p50Ms: number | null;

  @ApiProperty({
    description: '95th percentile of their durations, in milliseconds; null where there were none.',
    type: 'integer',
    nullable: true,
    example: 120,
  })
  @IsOptional()
  @IsInt()
  p95Ms: number | null;

  @ApiProperty({
    description: 'true: there were more than 10,000, and all figures are those of the newest 10,000.',
    example: false,
  })
  @IsBoolean()
  partial: boolean;
}

/** Answer of `GET /v1/webhooks/:id/health`. */
export class WebhookHealth {
  @ApiProperty({ description: 'Whether deliveries go out.', enum: ENDPOINT_STATUSES, example: 'ACTIVE' })
  @IsIn(ENDPOINT_STATUSES)
  status: EndpointStatus;

  @ApiProperty({ description: 'Last attempt that delivered.', type: LastAttempt, nullable: true })
  @IsOptional()
  @ValidateNested()
  @Type(() => LastAttempt)
  lastSuccess: LastAttempt | null;

  @ApiProperty({ description: 'Last attempt that failed.', type: LastAttempt, nullable: true })
  @IsOptional()
  @ValidateNested()
  @Type(() => LastAttempt)
  lastFailure: LastAttempt | null;

  @ApiProperty({
    description:
      'Consecutive permanent 4xx (401, 403, 404, 405, 410, 414, 451) up to now; the fifth pauses the endpoint.',
    type: 'integer',
    example: 0,
  })
  @IsInt()
  permanent4xxRun: number;

  @ApiProperty({ description: 'Attempts of the last hour.', type: RecentAttempts })
  @ValidateNested()
  @Type(() => RecentAttempts)
  lastHour: RecentAttempts;

  @ApiProperty({ description: 'Deliveries that are due or wait for their next attempt.', type: BoundedCount })
  @ValidateNested()
  @Type(() => BoundedCount)
  pending: BoundedCount;

  @ApiProperty({
    description:
      'Deliveries that a pause holds back: all that wait, as webhook.paused counts them; after the reactivation, those that still wait.',
    type: BoundedCount,
  })
  @ValidateNested()
  @Type(() => BoundedCount)
  held: BoundedCount;

  @ApiProperty({ description: 'Dead letters.', type: BoundedCount })
  @ValidateNested()
  @Type(() => BoundedCount)
  dead: BoundedCount;

  @ApiProperty({
    description: 'Age of the oldest delivery that is pending or held, in milliseconds; null where none is.',
    type: 'integer',
    nullable: true,
    example: 1500,
  })
  @IsOptional()
  @IsInt()
  oldestWaitingMs: number | null;
}
