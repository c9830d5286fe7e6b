import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsISO8601,
  IsOptional,
  IsUUID,
  Min,
  ValidateNested,
} from 'class-validator';
import { defineRequest } from '../../contract.js';
import { LIMIT_LAYERS, type LimitLayer, type Plan, PLANS } from '../../enums.js';
import { LimitCount, SessionDay } from '../../http/tenants/limits.js';
import { AreDayCaps, type DayCaps } from '../billing/entitlements.js';

/** Time for which an admitted unit may wait for its message to be written, in ms. */
export const WRITE_WITHIN_MS = 30_000;

/** The tenant whose day a request is about, and the caps of it. */
export class DayOf {
  @IsUUID() tenantId: string;
  /** Plan of the tenant. A `limits` of an earlier release alone reads it, as `internal`; both go with the next one. */
  @IsIn(PLANS) plan: Plan;
  @IsBoolean() internal: boolean;
  /** Caps of the day; absent from a gateway of an earlier release: `limits` asks `billing` then. */
  @IsOptional() @AreDayCaps() caps?: DayCaps;
}

/** Request of `reserve`: may one more message go? Idempotent by `jobId`. */
export class ReserveV1 extends DayOf {
  @IsUUID() jobId: string;
  @IsUUID() sessionId: string;
  /** The job takes nothing where a unit was taken for it before, also one that was given back: the reply says `isRepeat`. */
  @IsOptional() @IsBoolean() onlyNew?: boolean;
}

/** The limit that refused, and when it is reset; `meta` of the 429. */
export class LimitRefusal {
  @IsIn(LIMIT_LAYERS) layer: LimitLayer;
  @IsInt() limit: number;
  @IsInt() used: number;
  /** Next UTC midnight, ISO 8601. */
  @IsISO8601() resetAt: string;
  /** Whole seconds from now to `resetAt`, at least 1. */
  @IsInt() @Min(1) retryAfterSeconds: number;
}

/** The usage of both layers after the request, whether it was admitted or refused. */
export class DayUsage {
  @IsInt() sessionLimit: number;
  @IsInt() sessionUsed: number;
  /** Cap of the plan; null: exempt. */
  @IsOptional() @IsInt() planLimit: number | null;
  @IsInt() planUsed: number;
  /** Next UTC midnight, ISO 8601. */
  @IsISO8601() resetAt: string;
  /** Whole seconds from now to `resetAt`, at least 1. */
  @IsInt() @Min(1) secondsLeft: number;
}

/** Reply of `reserve`: a refusal is an answer, not an error. */
export class ReserveReply {
  @IsBoolean() admitted: boolean;
  @IsOptional() @ValidateNested() @Type(() => LimitRefusal) refusal?: LimitRefusal;
  /** The job of a question with `onlyNew` has a reservation already: it is neither admitted nor refused. */
  @IsOptional() @IsBoolean() isRepeat?: boolean;
  /** Usage of the day; absent where it is a repeat. */
  @IsOptional() @ValidateNested() @Type(() => DayUsage) usage?: DayUsage;
  /** Time from which on the message of an admitted unit must not be written any more (ISO 8601, the server's clock). */
  @IsOptional() @IsISO8601() writeBefore?: string;
}

/**
 * Request of `take-llm-call`: may a language model be called once more for an answer of a `MANAGED` session? Idempotent by
 * `callId`. Those of `EXTERNAL` sessions take none (specification, "Limits").
 */
export class TakeLlmCallV1 extends DayOf {
  @IsUUID() callId: string;
}

/** Reply of `take-llm-call`: a refusal is an answer, not an error. */
export class LlmCallReply {
  @IsBoolean() admitted: boolean;
  @IsOptional() @ValidateNested() @Type(() => LimitRefusal) refusal?: LimitRefusal;
}

/** Request of `give-back-llm-call`. Idempotent by `callId`. */
export class GiveBackLlmCallV1 {
  @IsUUID() callId: string;
  @IsUUID() tenantId: string;
}

/** Reply of `give-back-llm-call`: false where the call counts no more, or never did. */
export class GivenBackLlmCall {
  @IsBoolean() givenBack: boolean;
}

/** Request of `get-limits`. */
export class GetLimitsV1 extends DayOf {
  @IsArray() @ArrayMaxSize(1_000) @IsUUID(undefined, { each: true }) sessionIds: string[];
}

/** Reply of `get-limits`: the day of a tenant and of its sessions, in the order of the request. */
export class LimitsReply {
  @ValidateNested() @Type(() => LimitCount) messages: LimitCount;
  /** Count of the calls; absent from an older process. */
  @IsOptional() @ValidateNested() @Type(() => LimitCount) llmCalls?: LimitCount;
  @IsArray() @ValidateNested({ each: true }) @Type(() => SessionDay) sessions: SessionDay[];
  /** Next UTC midnight, ISO 8601. */
  @IsISO8601() resetAt: string;
  /** Whole seconds from now to `resetAt`, at least 1. */
  @IsInt() @Min(1) secondsLeft: number;
}

/** Computes what is left of a limit; more may be used than there is, after a plan was lowered. */
export function countOf(limit: number | null, used: number): LimitCount {
  return { limit, used, left: limit === null ? null : Math.max(0, limit - used) };
}

/** Makes the refusal of a layer that is used up. */
export function refusalBy(layer: LimitLayer, usage: DayUsage): LimitRefusal {
  const { resetAt, secondsLeft: retryAfterSeconds } = usage;
  const [limit, used] =
    layer === 'session' ? [usage.sessionLimit, usage.sessionUsed] : [usage.planLimit ?? 0, usage.planUsed];
  return { layer, limit, used, resetAt, retryAfterSeconds };
}

/** Reserves a unit of layer 1 (session tier) and of layer 2 (plan), of both or of none. */
export const Reserve = defineRequest('limits', 'reserve', ReserveV1, ReserveReply);
/** Reserves one call of a language model of the plan's calls a day. */
export const TakeLlmCall = defineRequest('limits', 'take-llm-call', TakeLlmCallV1, LlmCallReply);
/** Gives a call back that the model never got, to its own day; taken again, it counts anew. */
export const GiveBackLlmCall = defineRequest(
  'limits',
  'give-back-llm-call',
  GiveBackLlmCallV1,
  GivenBackLlmCall,
);
/** Reads the usage of both layers; counts nothing. */
export const GetLimits = defineRequest('limits', 'get-limits', GetLimitsV1, LimitsReply);
