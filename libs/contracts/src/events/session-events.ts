import { ApiProperty, ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsInt, IsISO8601, IsOptional, IsString, IsUUID, Min } from 'class-validator';
import { defineEvent } from '../contract.js';
import {
  BOT_MODES,
  type BotMode,
  MODE_REASONS,
  type ModeReason,
  QR_REASONS,
  type QrReason,
} from '../enums.js';
import {
  DISCONNECT_REASONS,
  type DisconnectReason,
  linesOf,
  LOGOUT_REASONS,
  type LogoutReason,
} from '../session-states.js';
import { SessionPasskeyChanged, SessionPasskeyRequired } from './passkey-events.js';

const DISCONNECTS = Object.keys(DISCONNECT_REASONS);
const LOGOUTS = Object.keys(LOGOUT_REASONS);
/** States of a session that has dropped. */
const AWAY = ['RECONNECTING', 'DISCONNECTED'] as const;

/** Payload of `session.connected`. */
export class SessionConnectedV1 {
  @ApiProperty({ description: 'The session.', format: 'uuid' })
  @IsUUID()
  sessionId: string;

  @ApiProperty({
    description:
      'Linked number in E.164 form; of a session that ended, the number that it had. Null: none was linked.',
    type: String,
    nullable: true,
    example: '+4915112345678',
  })
  @IsOptional()
  @IsString()
  phone: string | null;

  @ApiProperty({ description: 'When it happened (ISO 8601, UTC).', example: '2026-01-31T12:00:00.000Z' })
  @IsISO8601()
  timestamp: string;
}

/** Payload of `session.disconnected`. */
export class SessionDisconnectedV1 extends SessionConnectedV1 {
  @ApiProperty({
    description: linesOf(
      'Why, and what to do. `willReconnect` says the same in one word.',
      DISCONNECT_REASONS,
    ),
    enum: DISCONNECTS,
    example: 'CONNECTION_LOST',
  })
  @IsIn(DISCONNECTS)
  reason: DisconnectReason;

  @ApiProperty({
    description:
      'true: it comes back by itself, and `session.connected` tells when. false: it stays away until somebody acts, as `reason` says.',
    example: true,
  })
  @IsOptional()
  @IsBoolean()
  willReconnect?: boolean;

  @ApiPropertyOptional({
    description:
      'Until when, where that is known (ISO 8601, UTC): the session comes back by itself at the end of a ban. Absent otherwise.',
    example: '2026-01-31T18:00:00.000Z',
  })
  @IsOptional()
  @IsISO8601()
  until?: string;

  @ApiProperty({
    description: 'As `GET /v1/sessions/{id}` has it from then on.',
    enum: AWAY,
    example: 'RECONNECTING',
  })
  @IsOptional()
  @IsIn(AWAY)
  status?: (typeof AWAY)[number];

  @ApiProperty({
    description: 'As reason: the name that `GET /v1/sessions/{id}` has for it.',
    enum: DISCONNECTS,
    example: 'CONNECTION_LOST',
  })
  @IsOptional()
  @IsIn(DISCONNECTS)
  statusReason?: DisconnectReason;

  @ApiPropertyOptional({
    description: 'As until: the name that `GET /v1/sessions/{id}` has for it.',
    example: '2026-01-31T18:00:00.000Z',
  })
  @IsOptional()
  @IsISO8601()
  statusUntil?: string;
}

/** Payload of `session.logged_out`. */
export class SessionLoggedOutV1 extends SessionConnectedV1 {
  @ApiProperty({
    description: linesOf('Why, and what to do.', LOGOUT_REASONS),
    enum: LOGOUTS,
    example: 'UNLINKED',
  })
  @IsIn(LOGOUTS)
  reason: LogoutReason;

  @ApiProperty({
    description: 'As `GET /v1/sessions/{id}` has it from then on.',
    enum: ['LOGGED_OUT'],
    example: 'LOGGED_OUT',
  })
  @IsOptional()
  @IsIn(['LOGGED_OUT'])
  status?: 'LOGGED_OUT';

  @ApiProperty({
    description: 'As reason: the name that `GET /v1/sessions/{id}` has for it.',
    enum: LOGOUTS,
    example: 'UNLINKED',
  })
  @IsOptional()
  @IsIn(LOGOUTS)
  statusReason?: LogoutReason;
}

/** Payload of `session.qr_generated`. */
export class SessionQrGeneratedV1 {
  @ApiProperty({ description: 'The session.', format: 'uuid' })
  @IsUUID()
  sessionId: string;

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

  @ApiPropertyOptional({
    description:
      'refreshed: the platform wants another scan. The code replaces the one that was just scanned, which links nothing. Absent otherwise. More may come.',
    type: String,
    // One value is no closed enum here: more may come.
    'x-extensible-enum': [...QR_REASONS],
    example: 'refreshed',
  } as ApiPropertyOptions)
  @IsOptional()
  @IsIn(QR_REASONS)
  reason?: QrReason;

  @ApiProperty({ description: 'When it happened (ISO 8601, UTC).', example: '2026-01-31T12:00:00.000Z' })
  @IsISO8601()
  timestamp: string;
}

/** Payload of `session.pairing_code_replaced`. The code is in no event: it is for those who may link. */
export class PairingCodeReplacedV1 {
  @ApiProperty({ description: 'The session.', format: 'uuid' })
  @IsUUID()
  sessionId: string;

  @ApiPropertyOptional({
    description:
      'When the platform stops accepting the code that replaces it (ISO 8601, UTC); absent: there is none.',
    example: '2026-01-31T12:02:00.000Z',
  })
  @IsOptional()
  @IsISO8601()
  expiresAt?: string;

  @ApiProperty({ description: 'When it happened (ISO 8601, UTC).', example: '2026-01-31T12:00:00.000Z' })
  @IsISO8601()
  timestamp: string;
}

/** Data of `session.deleted`: internal, for services that keep something of a session. */
export class SessionDeletedV1 {
  @IsUUID() sessionId: string;
  /** Actor that asked for it: `key:<kid>`. */
  @IsOptional() @IsString() actor?: string;
  @IsISO8601() timestamp: string;
}

/** Data of `session.mode_changed`: internal, for whoever answers a session. */
export class SessionModeChangedV1 {
  @IsUUID() sessionId: string;
  @IsIn(BOT_MODES) before: BotMode;
  @IsIn(BOT_MODES) botMode: BotMode;
  /** Number of changes to `MANAGED` until now: of two events the one with the higher number is the newer one, and of equal ones `EXTERNAL`. */
  @IsInt() @Min(0) modeVersion: number;
  /** Actor that asked for it: `key:<kid>`. */
  @IsOptional() @IsString() actor?: string;
  /** Reason of a change that nobody asked for. */
  @IsOptional() @IsIn(MODE_REASONS) reason?: ModeReason;
  @IsISO8601() timestamp: string;
}

/** Payload of `session.bot_mode_changed`. */
export class SessionBotModeChangedV1 {
  @ApiProperty({ description: 'The session.', format: 'uuid' })
  @IsUUID()
  sessionId: string;

  @ApiProperty({
    description: 'Who answers from now on, as `GET /v1/sessions/{id}` has it.',
    enum: BOT_MODES,
    example: 'MANAGED',
  })
  @IsIn(BOT_MODES)
  botMode: BotMode;

  @ApiProperty({
    description:
      'FAILOVER: your bot was away for as long as `failover` of external config says. FAILBACK: its endpoint has answered 2xx again. null: somebody has asked for the change. More may come.',
    type: String,
    nullable: true,
    // No closed enum: more may come.
    'x-extensible-enum': [...MODE_REASONS],
    example: 'FAILOVER',
  } as ApiPropertyOptions)
  @IsOptional()
  @IsIn(MODE_REASONS)
  reason: ModeReason | null;

  @ApiProperty({ description: 'When it happened (ISO 8601, UTC).', example: '2026-01-31T12:00:00.000Z' })
  @IsISO8601()
  timestamp: string;
}

/** The session is live. */
export const SessionConnected = defineEvent('session.connected', 1, SessionConnectedV1, {
  public: true,
  summary: 'The session is live.',
  by: ['session-worker'],
});
/** The session dropped; carries a reason. */
export const SessionDisconnected = defineEvent('session.disconnected', 1, SessionDisconnectedV1, {
  public: true,
  summary:
    'The session dropped; carries a reason, and whether it comes back by itself (willReconnect) or needs somebody.',
  by: ['session-worker'],
});
/** A QR code is ready to scan. */
export const SessionQrGenerated = defineEvent('session.qr_generated', 1, SessionQrGeneratedV1, {
  public: true,
  summary: 'A QR code is ready to scan.',
  by: ['session-worker'],
});
/** The platform invalidated the credentials. */
export const SessionLoggedOut = defineEvent('session.logged_out', 1, SessionLoggedOutV1, {
  public: true,
  summary: 'The platform invalidated the credentials.',
  by: ['session-worker'],
});
/** The platform takes another code to type, in place of the one that was shown, or none. */
export const SessionPairingCodeReplaced = defineEvent(
  'session.pairing_code_replaced',
  1,
  PairingCodeReplacedV1,
  {
    public: true,
    summary:
      'The code to type that was asked for holds no more: ask for it once more, and show what comes. Only an endpoint that names this event gets it.',
    by: ['session-worker'],
    onlyNamed: true,
  },
);
/** A session was deleted, with all that its owner had stored of it. */
export const SessionDeleted = defineEvent('session.deleted', 1, SessionDeletedV1, {
  public: false,
  summary: 'The session is gone, with what its owner kept of it.',
  by: ['session-worker'],
});
/** The mode of the session has changed: somebody else answers it from now on. */
export const SessionModeChanged = defineEvent('session.mode_changed', 1, SessionModeChangedV1, {
  public: false,
  summary: 'Somebody else answers what people write to the session: the built-in AI, or the own bot.',
  by: ['session-worker'],
});
/** The mode of the session has changed, as tenants are told of it. */
export const SessionBotModeChanged = defineEvent('session.bot_mode_changed', 1, SessionBotModeChangedV1, {
  public: true,
  summary:
    'The mode of the session has changed, by request or by a fail-over. Only an endpoint that names this event gets it.',
  by: ['session-worker'],
  onlyNamed: true,
});
/** Events of sessions, in the order of the description. */
export const SESSION_EVENTS = [
  SessionConnected,
  SessionDisconnected,
  SessionQrGenerated,
  SessionLoggedOut,
  SessionPasskeyRequired,
  SessionPasskeyChanged,
  SessionPairingCodeReplaced,
  SessionBotModeChanged,
  SessionDeleted,
  SessionModeChanged,
] as const;
