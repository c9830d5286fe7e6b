import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsISO8601, IsOptional, IsString, IsUUID } from 'class-validator';
import { defineEvent } from '../contract.js';
import { QR_REASONS, type QrReason, STATUS_REASONS, type StatusReason } from '../enums.js';
import { SessionPasskeyChanged, SessionPasskeyRequired } from './passkey-events.js';

/** Payload of `session.connected`. */
export class SessionConnectedV1 {
  @ApiProperty({ description: 'The session.', format: 'uuid' })
  @IsUUID()
  sessionId: string;

  @ApiProperty({
    description: 'Linked number in E.164 form.',
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

/** Payload of `session.disconnected` and `session.logged_out`. */
export class SessionEndedV1 extends SessionConnectedV1 {
  @ApiProperty({ description: 'Why.', enum: STATUS_REASONS, example: 'CONNECTION_LOST' })
  @IsIn(STATUS_REASONS)
  reason: StatusReason;

  @ApiPropertyOptional({
    description:
      'Until when, where that is known (ISO 8601, UTC): the session comes back by itself at the end of a ban. Absent otherwise.',
    example: '2026-01-31T18:00:00.000Z',
  })
  @IsOptional()
  @IsISO8601()
  until?: string;
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
      'refreshed: the platform wants another scan. The code replaces the one that was just scanned, which links nothing. Absent otherwise.',
    enum: QR_REASONS,
    example: 'refreshed',
  })
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

/** The session is live. */
export const SessionConnected = defineEvent('session.connected', 1, SessionConnectedV1, {
  public: true,
  summary: 'The session is live.',
  by: ['session-worker'],
});
/** The session dropped; carries a reason. */
export const SessionDisconnected = defineEvent('session.disconnected', 1, SessionEndedV1, {
  public: true,
  summary: 'The session dropped; carries a reason.',
  by: ['session-worker'],
});
/** A QR code is ready to scan. */
export const SessionQrGenerated = defineEvent('session.qr_generated', 1, SessionQrGeneratedV1, {
  public: true,
  summary: 'A QR code is ready to scan.',
  by: ['session-worker'],
});
/** The platform invalidated the credentials. */
export const SessionLoggedOut = defineEvent('session.logged_out', 1, SessionEndedV1, {
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
    summary: 'The code to type that was asked for holds no more: ask for it once more, and show what comes.',
    by: ['session-worker'],
  },
);
/** A session was deleted, with all that its owner had stored of it. */
export const SessionDeleted = defineEvent('session.deleted', 1, SessionDeletedV1, {
  public: false,
  summary: 'The session is gone, with what its owner kept of it.',
  by: ['session-worker'],
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
  SessionDeleted,
] as const;
