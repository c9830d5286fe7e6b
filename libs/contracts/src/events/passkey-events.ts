import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsISO8601, IsOptional, IsUUID } from 'class-validator';
import { defineEvent } from '../contract.js';
import { PASSKEY_FAILURES, type PasskeyFailure, PASSKEY_STEPS, type PasskeyStep } from '../enums.js';

/** Payload of `session.passkey_required`. It has neither challenge nor code: they are for those who may link. */
export class PasskeyRequiredV1 {
  @ApiProperty({ description: 'The session.', format: 'uuid' })
  @IsUUID()
  sessionId: string;

  @ApiProperty({
    description: 'Until when the challenge can be answered (ISO 8601, UTC).',
    example: '2026-01-31T12:10:00.000Z',
  })
  @IsISO8601()
  expiresAt: string;

  @ApiProperty({ description: 'When it happened (ISO 8601, UTC).', example: '2026-01-31T12:00:00.000Z' })
  @IsISO8601()
  timestamp: string;
}

/** Payload of `session.passkey_changed`. */
export class PasskeyChangedV1 {
  @ApiProperty({ description: 'The session.', format: 'uuid' })
  @IsUUID()
  sessionId: string;

  @ApiProperty({
    description:
      'What has become of it. sent: the platform has the answer. compare: there is a code to compare and confirm. finishing: the platform has all. linked: the number is linked. failed: it is not; another QR code follows as long as somebody looks.',
    enum: PASSKEY_STEPS,
    example: 'compare',
  })
  @IsIn(PASSKEY_STEPS)
  stage: PasskeyStep;

  @ApiPropertyOptional({
    description: 'When this step is over; absent where nothing follows (ISO 8601, UTC).',
    example: '2026-01-31T12:10:00.000Z',
  })
  @IsOptional()
  @IsISO8601()
  expiresAt?: string;

  @ApiPropertyOptional({ description: 'Why it failed.', enum: PASSKEY_FAILURES, example: 'PHONE_SILENT' })
  @IsOptional()
  @IsIn(PASSKEY_FAILURES)
  reason?: PasskeyFailure;

  @ApiProperty({ description: 'When it happened (ISO 8601, UTC).', example: '2026-01-31T12:00:00.000Z' })
  @IsISO8601()
  timestamp: string;
}

/** The platform wants the passkey of the account before it links the number. */
export const SessionPasskeyRequired = defineEvent('session.passkey_required', 1, PasskeyRequiredV1, {
  public: true,
  summary:
    'The platform wants the passkey of the account before it links the number. Only an endpoint that names this event gets it.',
  by: ['session-worker'],
  onlyNamed: true,
});
/** A link that needs a passkey has gone on, or has ended. */
export const SessionPasskeyChanged = defineEvent('session.passkey_changed', 1, PasskeyChangedV1, {
  public: true,
  summary:
    'A link that needs a passkey has gone on, or has ended. Only an endpoint that names this event gets it.',
  by: ['session-worker'],
  onlyNamed: true,
});
