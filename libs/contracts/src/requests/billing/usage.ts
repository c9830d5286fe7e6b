import { Type } from 'class-transformer';
import { IsArray, IsInt, IsISO8601, IsString, IsUUID, Matches, ValidateNested } from 'class-validator';
import { defineRequest } from '../../contract.js';
import { MONTH, TokenUsage, UsageQuery } from '../../http/tenants/usage.js';

/** Request of `get-usage` of billing. */
export class GetUsageV1 extends UsageQuery {
  @IsUUID() tenantId: string;
}

/** Calls and tokens of a day or of a session. */
export class LlmUsage {
  /** A date, or a session id. */
  @IsString() key: string;
  @IsInt() calls: number;
  @IsInt() tokens: number;
}

/** Reply of `get-usage`. */
export class UsageReply {
  @Matches(MONTH) month: string;
  /** First moment of the month, and the first one after it (ISO 8601, UTC). */
  @IsISO8601() from: string;
  @IsISO8601() to: string;
  @ValidateNested() @Type(() => TokenUsage) tokens: TokenUsage;
  @IsInt() calls: number;
  @IsArray() @ValidateNested({ each: true }) @Type(() => LlmUsage) days: LlmUsage[];
  @IsArray() @ValidateNested({ each: true }) @Type(() => LlmUsage) sessions: LlmUsage[];
}

/** Reads calls, tokens and blocks of a month; `TENANT_NOT_FOUND` when there is no subscription. */
export const GetUsage = defineRequest('billing', 'get-usage', GetUsageV1, UsageReply);
