import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  IsArray,
  IsInt,
  IsISO8601,
  IsString,
  IsUUID,
  Length,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import { defineRequest } from '../../contract.js';

/** Messages per UTC day by warmup tier (specification, "Limits"). */
export const TIER_CAPS = [10, 50, 250, 1_000, 5_000] as const;

/** Request of `get-tiers`. */
export class GetTiersV1 {
  @IsArray() @IsUUID(undefined, { each: true }) sessionIds: string[];
}

/** The warmup tier of one session. */
export class SessionTier {
  @IsUUID() sessionId: string;
  @IsInt() @Min(0) @Max(4) tier: number;
}

/** Reply of `get-tiers`, in the order asked; a session never seen is in tier 0. */
export class TiersReply {
  @IsArray() @ValidateNested({ each: true }) @Type(() => SessionTier) tiers: SessionTier[];
}

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

/** Request of `promote-tier`. */
export class PromoteTierV1 extends PromoteTierBody {
  @IsUUID() tenantId: string;
  @IsUUID() sessionId: string;
  /** Who asks: `key:<kid>`. */
  @IsString() actor: string;
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

/** Reads warmup tiers. */
export const GetTiers = defineRequest('limits', 'get-tiers', GetTiersV1, TiersReply);
/** Raises a tier; `VALIDATION_FAILED` when it would not rise. */
export const PromoteTier = defineRequest('limits', 'promote-tier', PromoteTierV1, TierPromotion);
