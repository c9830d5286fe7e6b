import { ApiProperty, ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  IsArray,
  IsBoolean,
  IsIn,
  IsISO8601,
  IsOptional,
  IsString,
  IsUUID,
  Length,
  MaxLength,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import {
  type Answerer,
  BOT_MODES,
  type BotMode,
  RESTRICTION_REASONS,
  type RestrictionReason,
} from '../../enums.js';
import {
  CONNECT_REASONS,
  linesOf,
  SESSION_STATUS_WORDS,
  type SessionStatus,
  STATUS_REASONS,
  type StatusReason,
} from '../../session-states.js';
import { AnswersProperty } from './answers-property.js';
import { ExternalConfig } from './external-config.js';

const STATUSES = Object.keys(SESSION_STATUS_WORDS);

/** Body of `POST /v1/sessions`. */
export class CreateSessionBody {
  @ApiProperty({ description: 'Label for people.', example: 'Support line', minLength: 1, maxLength: 100 })
  @IsString()
  @Length(1, 100)
  name: string;

  @ApiPropertyOptional({
    description:
      'Proxy that the session connects through, with its user and password if it wants them: http://, https:// or socks5://. Never shown again in full.',
    example: 'socks5://user:password@proxy.example.com:1080',
    maxLength: 2048,
  })
  @IsOptional()
  @IsString()
  @MaxLength(2048)
  proxy?: string;

  @ApiPropertyOptional({
    description:
      'Whether the number counts as online as long as it is connected. The phone of its owner gets no notifications meanwhile; without it, that is so for the moments in which it shows a contact that it writes. Left out: false.',
    example: false,
  })
  @ValidateIf(({ alwaysOnline }) => alwaysOnline !== undefined)
  @IsBoolean()
  alwaysOnline?: boolean;

  @ApiPropertyOptional({
    description:
      'Whether calls to the number are rejected at once, on all its devices. A call that was accepted on the phone before stays. Left out: false.',
    example: false,
  })
  @ValidateIf(({ rejectCalls }) => rejectCalls !== undefined)
  @IsBoolean()
  rejectCalls?: boolean;

  @ApiPropertyOptional({
    description:
      'Text that the caller of a rejected call gets: a message like any other, with `call:` and the id of the call as its clientMessageId. A call of a group is answered to nobody.',
    minLength: 1,
    maxLength: 1000,
    example: 'We take no calls here. Please write to us.',
  })
  @IsOptional()
  @IsString()
  @Length(1, 1_000)
  callReply?: string;

  @ApiPropertyOptional({
    description:
      'Who is to answer what people write: EXTERNAL is your own bot; MANAGED is the built-in assistant, switched on with the defaults of its settings. Left out: MANAGED, and nobody answers until you switch the assistant on.',
    enum: BOT_MODES,
    example: 'EXTERNAL',
  })
  @ValidateIf(({ botMode }) => botMode !== undefined)
  @IsIn(BOT_MODES)
  botMode?: BotMode;

  @ApiPropertyOptional({
    description:
      'Receiver of the session, as PUT external-config takes it: with EXTERNAL, and only with that.',
    example: 'https://example.com/hooks/bot',
    minLength: 1,
    maxLength: 2048,
  })
  @IsOptional()
  @IsString()
  @Length(1, 2048)
  webhookUrl?: string;
}

/** Body of `PATCH /v1/sessions/:id`: what is left out stays. */
export class UpdateSessionBody {
  @ApiPropertyOptional({ description: 'Label for people.', example: 'Sales', minLength: 1, maxLength: 100 })
  @ValidateIf(({ name }) => name !== undefined)
  @IsString()
  @Length(1, 100)
  name?: string;

  @ApiPropertyOptional({
    description: 'As on creation; null: none. A session that is connected connects anew through it.',
    type: String,
    nullable: true,
    example: 'socks5://user:password@proxy.example.com:1080',
    maxLength: 2048,
  })
  @IsOptional()
  @IsString()
  @MaxLength(2048)
  proxy?: string | null;

  @ApiPropertyOptional({
    description: 'As on creation. It holds at once; the connection stays.',
    example: true,
  })
  @ValidateIf(({ alwaysOnline }) => alwaysOnline !== undefined)
  @IsBoolean()
  alwaysOnline?: boolean;

  @ApiPropertyOptional({ description: 'As on creation; it holds from the next call on.', example: true })
  @ValidateIf(({ rejectCalls }) => rejectCalls !== undefined)
  @IsBoolean()
  rejectCalls?: boolean;

  @ApiPropertyOptional({
    description: 'As on creation; null: none.',
    type: String,
    nullable: true,
    minLength: 1,
    maxLength: 1000,
    example: 'We take no calls here. Please write to us.',
  })
  @IsOptional()
  @IsString()
  @Length(1, 1_000)
  callReply?: string | null;
}

/** Restriction of a session by the platform: it may not write to people that it has no chat with. */
export class SessionRestriction {
  @ApiProperty({
    description:
      'ACCOUNT_RESTRICTED: the platform has restricted the number. NEW_CHAT_QUOTA: the number has begun as many chats as it may.',
    enum: RESTRICTION_REASONS,
    example: 'ACCOUNT_RESTRICTED',
  })
  @IsIn(RESTRICTION_REASONS)
  reason: RestrictionReason;

  @ApiProperty({
    description:
      'When it ends (ISO 8601, UTC): as the platform says, or a day after its last sign where it does not say.',
    example: '2026-02-01T00:00:00.000Z',
  })
  @IsISO8601()
  until: string;
}

/** The state of a session, from the service that owns it. */
export class SessionState {
  @ApiProperty({ description: 'Session id.', format: 'uuid' })
  @IsUUID()
  id: string;

  @ApiProperty({ description: 'Label for people.', example: 'Support line' })
  @IsString()
  name: string;

  @ApiProperty({
    description: linesOf('Observed state.', SESSION_STATUS_WORDS),
    enum: STATUSES,
    example: 'CONNECTED',
  })
  @IsIn(STATUSES)
  status: SessionStatus;

  @ApiProperty({
    description: linesOf(
      'Why it is in this state. `willReconnect` says whether a session that is away comes back by itself. It is a `reason` of `session.disconnected` or `session.logged_out`, where each stands with what to do, or one of the way to a connection:',
      CONNECT_REASONS,
    ),
    enum: STATUS_REASONS,
    example: 'LOGGED_IN',
  })
  @IsIn(STATUS_REASONS)
  statusReason: StatusReason;

  @ApiProperty({ description: 'Since when (ISO 8601, UTC).', example: '2026-01-31T12:00:00.000Z' })
  @IsISO8601()
  statusSince: string;

  @ApiProperty({
    description:
      'Until when, where that is known (ISO 8601, UTC): the end of a ban, or of a step of a link with a passkey; null: nothing says it.',
    type: String,
    nullable: true,
    example: '2026-01-31T18:00:00.000Z',
  })
  @IsOptional()
  @IsISO8601()
  statusUntil: string | null;

  @ApiProperty({ description: 'Who answers inbound messages.', enum: BOT_MODES, example: 'MANAGED' })
  @IsIn(BOT_MODES)
  botMode: BotMode;

  @ApiPropertyOptional({
    description:
      'Why it is MANAGED where nobody has asked for that. FAILOVER: your bot was away for as long as `failover` of external config says; the session is EXTERNAL again with the next 2xx of its endpoint. null otherwise. More may come.',
    'x-extensible-enum': ['FAILOVER'],
    type: String,
    nullable: true,
    example: null,
  } as ApiPropertyOptions)
  @IsOptional()
  @IsIn(['FAILOVER'])
  botModeReason?: 'FAILOVER' | null;

  @ApiProperty({
    description: 'Linked number in E.164 form.',
    type: String,
    nullable: true,
    example: '+4915112345678',
  })
  @IsOptional()
  @IsString()
  phone: string | null;

  @ApiPropertyOptional({
    description:
      'Ids of other sessions of yours that the same number is linked to, where there are any: all of them are told of everything, and each has a daily limit of its own.',
    type: 'array',
    items: { type: 'string', format: 'uuid' },
    example: ['0198c0de-0000-7000-8000-000000000002'],
  })
  @IsOptional()
  @IsArray()
  @IsUUID(undefined, { each: true })
  alsoLinkedIn?: string[];

  @ApiProperty({
    description: 'Proxy that it connects through, without user and password; null: none.',
    type: String,
    nullable: true,
    example: 'socks5://proxy.example.com:1080',
  })
  @IsOptional()
  @IsString()
  proxy: string | null;

  @ApiProperty({
    description:
      'Whether the number counts as online as long as it is connected; the phone of its owner gets no notifications then.',
    example: false,
  })
  @IsOptional()
  @IsBoolean()
  alwaysOnline: boolean;

  @ApiProperty({ description: 'Whether calls to the number are rejected at once.', example: false })
  @IsOptional()
  @IsBoolean()
  rejectCalls: boolean;

  @ApiProperty({
    description: 'Text that the caller of a rejected call gets; null: none.',
    type: String,
    nullable: true,
    example: 'We take no calls here. Please write to us.',
  })
  @IsOptional()
  @IsString()
  callReply: string | null;

  @ApiProperty({
    description:
      'Set while the platform lets this session begin no new chats: sends to contacts that it has neither written to nor heard from answer 429 with layer `platform`; all others go on. It does not touch the warmup tier.',
    type: SessionRestriction,
    nullable: true,
    example: { reason: 'ACCOUNT_RESTRICTED', until: '2026-02-01T00:00:00.000Z' },
  })
  @IsOptional()
  @ValidateNested()
  @Type(() => SessionRestriction)
  restriction: SessionRestriction | null;

  @ApiProperty({ description: 'When it was created (ISO 8601, UTC).', example: '2026-01-31T12:00:00.000Z' })
  @IsISO8601()
  createdAt: string;
}

/** A session as `GET /v1/sessions/:id` shows it. */
export class SessionView extends SessionState {
  @ApiProperty({
    description:
      'Warmup tier: the daily cap of this session. It is kept with the number: linked anew, the number brings it along, and another number has its own.',
    type: 'integer',
    example: 0,
    minimum: 0,
    maximum: 4,
  })
  warmupTier: number;

  @ApiProperty({
    description: 'As statusReason: the name that events have for it.',
    enum: STATUS_REASONS,
    example: 'LOGGED_IN',
  })
  reason: StatusReason;

  @ApiProperty({
    description: 'As statusUntil: the name that `session.disconnected` has for it.',
    type: String,
    nullable: true,
    example: '2026-01-31T18:00:00.000Z',
  })
  until: string | null;

  @ApiProperty({
    description:
      'Of a session that is away, whether it comes back by itself, as in `session.disconnected`: true while it is RECONNECTING.',
    example: false,
  })
  willReconnect: boolean;

  @AnswersProperty()
  answers: Answerer;
}

/** Answer of `POST /v1/sessions`. */
export class CreatedSession extends SessionView {
  @ApiPropertyOptional({
    description: 'What PUT external-config would answer; of a session that was created in external mode.',
    type: ExternalConfig,
  })
  externalConfig?: ExternalConfig;
}

/** Reply of `get-qr`, and body of `GET /v1/sessions/:id/qr`. */
export class SessionQr {
  @ApiProperty({
    description: 'Text to draw as a QR code and scan with the phone.',
    example: '2@dGhlIGNvZGU=,a2V5,aWQ=,1',
  })
  @IsString()
  qr: string;

  @ApiProperty({
    description: 'When the platform stops accepting it (ISO 8601, UTC).',
    example: '2026-01-31T12:01:00.000Z',
  })
  @IsISO8601()
  expiresAt: string;
}
