import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsInt, IsISO8601, IsOptional, IsString, IsUUID, Min } from 'class-validator';
import { defineEvent } from '../contract.js';
import { PAUSE_REASONS, type PauseReason } from '../enums.js';

/** Payload of `webhook.paused` and `webhook.recovered`. */
export class WebhookStateV1 {
  @ApiProperty({ description: 'The endpoint.', format: 'uuid' })
  @IsUUID()
  endpointId: string;

  @ApiProperty({ description: 'Its label.', example: 'CRM' })
  @IsString()
  name: string;

  @ApiProperty({
    description: 'Scheme, host and port of its address; the rest may be a secret.',
    example: 'https://example.com',
  })
  @IsString()
  origin: string;

  @ApiProperty({
    description: 'Session it is bound to; null: tenant-wide.',
    type: String,
    nullable: true,
    format: 'uuid',
  })
  @IsOptional()
  @IsUUID()
  sessionId: string | null;

  @ApiProperty({
    description: 'Why it was paused: five permanent 4xx in a row, or by request.',
    enum: PAUSE_REASONS,
    example: 'PERMANENT_4XX',
  })
  @IsIn(PAUSE_REASONS)
  reason: PauseReason;

  @ApiProperty({
    description: 'Since when it is, or was, paused (ISO 8601, UTC).',
    example: '2026-01-31T12:00:00.000Z',
  })
  @IsISO8601()
  since: string;

  @ApiProperty({
    description: 'Permanent 4xx in a row when it was paused.',
    type: 'integer',
    minimum: 0,
    example: 5,
  })
  @IsInt()
  @Min(0)
  consecutiveFailures: number;

  @ApiProperty({
    description:
      'Deliveries that wait for it at this moment: held from now on, or still to go out. Not counted beyond 100,000.',
    type: 'integer',
    minimum: 0,
    example: 12,
  })
  @IsInt()
  @Min(0)
  held: number;

  @ApiProperty({ description: 'When it happened (ISO 8601, UTC).', example: '2026-01-31T12:00:00.000Z' })
  @IsISO8601()
  timestamp: string;
}

/** An endpoint was paused: its deliveries are held. */
export const WebhookPaused = defineEvent('webhook.paused', 1, WebhookStateV1, {
  public: true,
  summary:
    'An endpoint is paused: what comes for it is held. The event log, the stream and your other endpoints of `POST /v1/webhooks` that name it tell it; it does not go to the paused one.',
  by: ['webhook-dispatcher'],
  onlyNamed: true,
});
/** The first delivery after a reactivation succeeded. */
export const WebhookRecovered = defineEvent('webhook.recovered', 1, WebhookStateV1, {
  public: true,
  summary:
    'The first delivery after a reactivation succeeded. Only an endpoint that names this event gets it.',
  by: ['webhook-dispatcher'],
  onlyNamed: true,
});
/** Events of webhook endpoints, in the order of the description. */
export const WEBHOOK_EVENTS = [WebhookPaused, WebhookRecovered] as const;
