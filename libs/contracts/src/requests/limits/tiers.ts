import { Type } from 'class-transformer';
import { IsArray, IsInt, IsString, IsUUID, Max, Min, ValidateNested } from 'class-validator';
import { defineRequest } from '../../contract.js';
import { PromoteTierBody, TierPromotion } from '../../http/sessions/tiers.js';
import { WarmupState } from '../../http/sessions/warmup.js';
import { SessionRef } from '../sessions/sessions.js';

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

/** Reply of `get-tiers`, in the order of the request; a session without a row is in tier 0. */
export class TiersReply {
  @IsArray() @ValidateNested({ each: true }) @Type(() => SessionTier) tiers: SessionTier[];
}

/** Request of `promote-tier`. */
export class PromoteTierV1 extends PromoteTierBody {
  @IsUUID() tenantId: string;
  @IsUUID() sessionId: string;
  /** Actor that asks: `key:<kid>`. */
  @IsString() actor: string;
}

/** Reads warmup tiers. */
export const GetTiers = defineRequest('limits', 'get-tiers', GetTiersV1, TiersReply);
/** Raises a tier; `VALIDATION_FAILED` when it would not rise. */
export const PromoteTier = defineRequest('limits', 'promote-tier', PromoteTierV1, TierPromotion);
/** Reads the criteria of the next tier, and how far a number meets them. */
export const GetWarmup = defineRequest('limits', 'get-warmup', SessionRef, WarmupState);
