import { ApiProperty } from '@nestjs/swagger';
import { IsInt, IsISO8601, IsString, IsUUID, Length, Max, Min } from 'class-validator';

/** Body of `POST /v1/sessions/:id/promote-warmup-tier`. */
export class PromoteTierBody {
  @ApiProperty({
    description: 'Tier to raise to; it can only go up.',
    type: 'integer',
    example: 2,
    minimum: 0,
    maximum: 4,
  })
  @IsInt()
  @Min(0)
  @Max(4)
  tier: number;

  @ApiProperty({
    description: 'Why, for the audit log.',
    example: 'Number in use for two years',
    minLength: 1,
    maxLength: 500,
  })
  @IsString()
  @Length(1, 500)
  reason: string;
}

/** Answer of `POST /v1/sessions/:id/promote-warmup-tier`. */
export class TierPromotion {
  @ApiProperty({ description: 'The session.', format: 'uuid' })
  @IsUUID()
  sessionId: string;

  @ApiProperty({ description: 'Tier from now on.', type: 'integer', example: 2, minimum: 0, maximum: 4 })
  @IsInt()
  tier: number;

  @ApiProperty({ description: 'Tier before.', type: 'integer', example: 0, minimum: 0, maximum: 4 })
  @IsInt()
  previousTier: number;

  @ApiProperty({ description: 'When (ISO 8601, UTC).', example: '2026-01-31T12:00:00.000Z' })
  @IsISO8601()
  promotedAt: string;
}
