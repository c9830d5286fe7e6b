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
  Length,
  Max,
  MaxLength,
  Min,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { TenantRef } from './billing.js';
import { defineRequest } from './contract.js';
import {
  BOT_MODES,
  type BotMode,
  RESTRICTION_REASONS,
  type RestrictionReason,
  SESSION_STATUSES,
  type SessionStatus,
  STATUS_REASONS,
  type StatusReason,
} from './enums.js';

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
}

/** What the platform does not let a session do: write to people that it has no chat with. */
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

/** A session as its owner service knows it. */
export class SessionState {
  @ApiProperty({ description: 'Session id.', format: 'uuid' })
  @IsUUID()
  id: string;

  @ApiProperty({ description: 'Label for people.', example: 'Support line' })
  @IsString()
  name: string;

  @ApiProperty({ description: 'Observed state.', enum: SESSION_STATUSES, example: 'CONNECTED' })
  @IsIn(SESSION_STATUSES)
  status: SessionStatus;

  @ApiProperty({ description: 'Why it is in this state.', enum: STATUS_REASONS, example: 'LOGGED_IN' })
  @IsIn(STATUS_REASONS)
  statusReason: StatusReason;

  @ApiProperty({ description: 'Since when (ISO 8601, UTC).', example: '2026-01-31T12:00:00.000Z' })
  @IsISO8601()
  statusSince: string;

  @ApiProperty({ description: 'Who answers inbound messages.', enum: BOT_MODES, example: 'MANAGED' })
  @IsIn(BOT_MODES)
  botMode: BotMode;

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
    description: 'Proxy that it connects through, without user and password; null: none.',
    type: String,
    nullable: true,
    example: 'socks5://proxy.example.com:1080',
  })
  @IsOptional()
  @IsString()
  proxy?: string | null;

  @ApiPropertyOptional({
    description:
      'Set while the platform lets this session begin no new chats: sends to contacts that it has neither written to nor heard from answer 429 with layer `platform`; all others go on. It does not touch the warmup tier.',
    type: SessionRestriction,
    nullable: true,
    example: { reason: 'ACCOUNT_RESTRICTED', until: '2026-02-01T00:00:00.000Z' },
  })
  @IsOptional()
  @ValidateNested()
  @Type(() => SessionRestriction)
  restriction?: SessionRestriction | null;

  @ApiProperty({ description: 'When it was created (ISO 8601, UTC).', example: '2026-01-31T12:00:00.000Z' })
  @IsISO8601()
  createdAt: string;
}

/** A session as `GET /v1/sessions/:id` shows it. */
export class SessionView extends SessionState {
  @ApiProperty({
    description: 'Warmup tier: the daily cap of this session.',
    type: 'integer',
    example: 0,
    minimum: 0,
    maximum: 4,
  })
  warmupTier: number;
}

/** Names a session of a tenant. The owner answers `SESSION_NOT_FOUND`, or `FORBIDDEN` for another tenant's. */
export class SessionRef {
  @IsUUID() tenantId: string;
  @IsUUID() sessionId: string;
}

/** Request of `create-session`. */
export class CreateSessionV1 extends SessionRef {
  @IsString() @Length(1, 100) name: string;
  @IsOptional() @IsString() @MaxLength(2048) proxy?: string;
  /** Sessions that the tenant may have, with this one; left out: any number. */
  @IsOptional() @IsInt() @Min(0) most?: number;
  /** Of a sandbox: the simulator is its platform. */
  @IsOptional() @IsBoolean() sandbox?: boolean;
}

/** Request of `update-session`; what is left out stays. */
export class UpdateSessionV1 extends SessionRef {
  @IsOptional() @IsString() @Length(1, 100) name?: string;
  @IsOptional() @IsString() @MaxLength(2048) proxy?: string | null;
}

/** Request of `change-session`: what its owner shall bring about. */
export class ChangeSessionV1 extends SessionRef {
  @IsIn(['connect', 'disconnect', 'logout', 'delete']) action: 'connect' | 'disconnect' | 'logout' | 'delete';
}

/** Request of `get-session`. */
export class GetSessionV1 extends SessionRef {
  /** How many older sessions of the tenant are counted at most; left out: `MOST_SESSIONS`. */
  @IsOptional() @IsInt() @Min(0) countOlderTo?: number;
}

/** Request of `set-bot-mode`. */
export class SetBotModeV1 extends SessionRef {
  @IsIn(BOT_MODES) botMode: BotMode;
}

/** Request of `list-sessions`: newest first. */
export class ListSessionsV1 {
  @IsUUID() tenantId: string;
  /** One more than a page holds, so that the asker knows whether another follows. */
  @IsInt() @Min(1) @Max(201) limit: number;
  /** Id of the last session of the page before. */
  @IsOptional() @IsUUID() before?: string;
}

/** Reply that holds one session. */
export class SessionReply {
  @ValidateNested() @Type(() => SessionState) session: SessionState;
  /** Sessions of the tenant that are older than this one, counted as far as was asked for. Of `get-session` only. */
  @IsOptional() @IsInt() @Min(0) older?: number;
}

/** Reply of `list-sessions`. */
export class SessionsReply {
  @IsArray() @ValidateNested({ each: true }) @Type(() => SessionState) sessions: SessionState[];
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

/** Reply of `count-sessions`. */
export class SessionCount {
  @IsInt() @Min(0) count: number;
}

const APP = 'session-worker';
/** Makes the row and asks for a connection; `RATE_LIMITED` where the tenant has as many as it may. */
export const CreateSession = defineRequest(APP, 'create-session', CreateSessionV1, SessionReply);
/** Reads one session. */
export const GetSession = defineRequest(APP, 'get-session', GetSessionV1, SessionReply);
/** Reads a tenant's sessions. */
export const ListSessions = defineRequest(APP, 'list-sessions', ListSessionsV1, SessionsReply);
/** How many sessions a tenant has. */
export const CountSessions = defineRequest(APP, 'count-sessions', TenantRef, SessionCount);
/** Changes name and proxy. */
export const UpdateSession = defineRequest(APP, 'update-session', UpdateSessionV1, SessionReply);
/** Connect, disconnect, log out or delete. */
export const ChangeSession = defineRequest(APP, 'change-session', ChangeSessionV1, SessionReply);
/** The QR code of this moment; counts as somebody looking. Throws `QR_CONFLICT` when there is none. */
export const GetSessionQr = defineRequest(APP, 'get-qr', SessionRef, SessionQr);
/** Switches who answers. */
export const SetBotMode = defineRequest(APP, 'set-bot-mode', SetBotModeV1, SessionReply);
