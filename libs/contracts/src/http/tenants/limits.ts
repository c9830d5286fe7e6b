import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsInt, IsOptional, IsUUID, ValidateNested } from 'class-validator';
import { type Plan, PLANS } from '../../enums.js';
import { type ErrorCode } from '../../errors/errors.js';
import { TokenUsage } from './usage.js';

/** Usage of one limit. */
export class LimitCount {
  @ApiProperty({
    description: 'How much there is; null: no limit.',
    type: 'integer',
    nullable: true,
    example: 250,
  })
  @IsOptional()
  @IsInt()
  limit: number | null;

  @ApiProperty({ description: 'How much is used.', type: 'integer', example: 42, minimum: 0 })
  @IsInt()
  used: number;

  @ApiProperty({
    description: 'How much is left; null: no limit.',
    type: 'integer',
    nullable: true,
    example: 208,
  })
  @IsOptional()
  @IsInt()
  left: number | null;
}

/** The day of one session. */
export class SessionDay {
  @ApiProperty({ description: 'The session.', format: 'uuid' })
  @IsUUID()
  sessionId: string;

  @ApiProperty({ description: 'Its warmup tier.', type: 'integer', example: 2, minimum: 0, maximum: 4 })
  @IsInt()
  tier: number;

  @ApiProperty({ description: 'Messages today.', type: LimitCount })
  @ValidateNested()
  @Type(() => LimitCount)
  messages: LimitCount;
}

/** Limits that a sandbox alone has. */
export class SandboxLimits {
  @ApiProperty({ description: 'Seconds by which its clock is ahead of real time.', type: LimitCount })
  @ValidateNested()
  @Type(() => LimitCount)
  clockSeconds: LimitCount;

  @ApiProperty({
    description: 'Messages that its contacts wrote today, by the real clock.',
    type: LimitCount,
  })
  @ValidateNested()
  @Type(() => LimitCount)
  contactMessages: LimitCount;
}

/** Answer of `GET /v1/limits`. */
export class TenantLimits {
  @ApiProperty({ description: 'Plan of the tenant.', enum: PLANS, example: 'GROWTH' })
  plan: Plan;

  @ApiProperty({
    description: 'When the day ends: the next midnight UTC.',
    example: '2026-02-01T00:00:00.000Z',
  })
  resetAt: string;

  @ApiProperty({ description: 'Messages today, of all sessions together (layer `plan`).', type: LimitCount })
  messages: LimitCount;

  @ApiProperty({
    description: 'Calls of a language model today, for answers of MANAGED sessions.',
    type: LimitCount,
  })
  llmCalls: LimitCount;

  @ApiProperty({ description: 'Tokens of this month: included, used, and what is beyond.', type: TokenUsage })
  tokens: TokenUsage;

  @ApiProperty({ description: 'Sessions of the tenant.', type: LimitCount })
  sessions: LimitCount;

  @ApiProperty({
    description:
      'Bytes of files that you gave us to send, each for 31 days or until you delete it. One counts for at least 4,096 bytes.',
    type: LimitCount,
  })
  uploads: LimitCount;

  @ApiProperty({
    description:
      'Bytes of files that have arrived and are kept. Beyond them a message is told without its file (`TOO_LARGE`).',
    type: LimitCount,
  })
  media: LimitCount;

  @ApiProperty({
    description: 'Endpoints for the events of all sessions. Those of external mode are one per session.',
    type: LimitCount,
  })
  endpoints: LimitCount;

  @ApiProperty({
    description:
      'API keys that work. A key and those that it has replaced count as one, as long as one of them works.',
    type: LimitCount,
  })
  apiKeys: LimitCount;

  @ApiProperty({ description: 'Widgets.', type: LimitCount })
  widgets: LimitCount;

  @ApiProperty({ description: 'Messages that wait for their time (layer `schedule`).', type: LimitCount })
  scheduled: LimitCount;

  @ApiProperty({
    description:
      'Requests a second that all your keys together may make on each replica (layer `request`); null: no limit. One key may make no more than REQUESTS_PER_SECOND of the installation.',
    type: 'integer',
    nullable: true,
    example: 1000,
  })
  requestsPerSecond: number | null;

  @ApiProperty({
    description: 'The day of each session (layer `session`), newest first; at most 200.',
    type: [SessionDay],
  })
  perSession: SessionDay[];

  @ApiPropertyOptional({
    description: 'Of a sandbox alone: its clock and its contacts.',
    type: SandboxLimits,
  })
  sandbox?: SandboxLimits;
}

/** Answer of `GET /v1/sessions/:id/limits`. */
export class SessionLimits {
  @ApiProperty({ description: 'The session.', format: 'uuid' })
  sessionId: string;

  @ApiProperty({
    description:
      'Whether the plan has no room for it, as after a downgrade: it receives, and neither sends nor is connected anew. The oldest sessions keep working.',
    example: false,
  })
  readOnly: boolean;

  @ApiProperty({ description: 'Its warmup tier.', type: 'integer', example: 2, minimum: 0, maximum: 4 })
  tier: number;

  @ApiProperty({
    description: 'When the day ends: the next midnight UTC.',
    example: '2026-02-01T00:00:00.000Z',
  })
  resetAt: string;

  @ApiProperty({ description: 'Messages of this session today (layer `session`).', type: LimitCount })
  session: LimitCount;

  @ApiProperty({ description: 'Messages of all sessions today (layer `plan`).', type: LimitCount })
  plan: LimitCount;

  @ApiProperty({
    description: 'Tokens of this month (layer `tokens`, where the plan blocks and the session is `MANAGED`).',
    type: TokenUsage,
  })
  tokens: TokenUsage;

  @ApiProperty({
    description: 'Messages that may go at this moment.',
    type: 'integer',
    example: 208,
    minimum: 0,
  })
  left: number;
}

/** Refusal that a send would get. */
export class DryRunRefusal {
  @ApiProperty({ description: 'HTTP status of the refusal.', type: 'integer', example: 429 })
  status: number;

  @ApiProperty({
    description: 'Error code.',
    enum: ['RATE_LIMITED', 'SESSION_NOT_CONNECTED', 'QUOTA_CONFLICT'],
    example: 'RATE_LIMITED',
  })
  code: ErrorCode;

  @ApiProperty({
    description: 'What is wrong, for a person.',
    example: 'The messages of this session for today are used up: its warmup tier allows 250 a day.',
  })
  message: string;

  @ApiProperty({
    description: 'As in the error body.',
    type: 'object',
    additionalProperties: true,
    example: { layer: 'session', limit: 250, used: 250, resetAt: '2026-02-01T00:00:00.000Z' },
  })
  meta: Record<string, unknown>;

  @ApiProperty({
    description: 'When it would be accepted again, where that is known (ISO 8601, UTC).',
    type: String,
    nullable: true,
    example: '2026-02-01T00:00:00.000Z',
  })
  retryAt: string | null;
}

/** Answer of `POST /v1/messages` with `dryRun`: nothing was sent, counted or stored. */
export class DryRun {
  @ApiProperty({ description: 'Always DRY_RUN.', enum: ['DRY_RUN'], example: 'DRY_RUN' })
  status: 'DRY_RUN';

  @ApiProperty({ description: 'Whether the message would be accepted and sent.', example: true })
  wouldSend: boolean;

  @ApiProperty({ description: 'Session it would go out from.', format: 'uuid' })
  sessionId: string;

  @ApiProperty({
    description:
      'Address to which it would go: of the account, where the number is known to be another spelling of it.',
    example: '4915112345678@s.whatsapp.net',
  })
  to: string;

  @ApiProperty({
    description: 'Job that has this clientMessageId already: the send would answer it and send nothing.',
    type: String,
    nullable: true,
    format: 'uuid',
  })
  duplicateOf: string | null;

  @ApiProperty({ description: 'Why it would be refused.', type: DryRunRefusal, nullable: true })
  refusal: DryRunRefusal | null;
}
