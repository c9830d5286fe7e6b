import { Type } from 'class-transformer';
import {
  IsArray,
  IsDefined,
  IsIn,
  IsInt,
  IsISO8601,
  IsOptional,
  IsString,
  IsUUID,
  Length,
  Min,
  ValidateBy,
  ValidateIf,
  ValidateNested,
  type ValidationArguments,
} from 'class-validator';
import { defineRequest } from '../../contract.js';
import {
  ENTITLEMENT_KEYS,
  type EntitlementKey,
  type EntitlementValue,
  type Plan,
  PLANS,
  TOKEN_OVERAGES,
  type TokenOverage,
} from '../../enums.js';
import { IsOperatorName } from '../tenants/operator-name.js';

/** The largest number of sessions that a tenant may be given: the bound of every count of them. */
export const MOST_SESSIONS = 1_000;

/** The largest whole number that each entitlement takes; `overage` is a word. */
const MOST = {
  sessions: MOST_SESSIONS,
  messages: 1_000_000_000,
  calls: 1_000_000_000,
  tokens: Number.MAX_SAFE_INTEGER,
  storage: Number.MAX_SAFE_INTEGER,
  pace: 1_000_000,
  endpoints: 10_000,
  keys: 10_000,
  widgets: 10_000,
  scheduled: 1_000_000,
} as const;

/** This rule says that a value fits the entitlement that the property `key` of its object names. */
function IsEntitlementValue(): PropertyDecorator {
  const keyOf = (args?: ValidationArguments): unknown => (args?.object as { key?: unknown }).key;
  return ValidateBy({
    name: 'isEntitlementValue',
    validator: {
      validate: (value, args): boolean => fits(keyOf(args), value),
      defaultMessage: (args): string =>
        `${args?.property} of ${String(keyOf(args))} must be ${rule(keyOf(args))}`,
    },
  });
}

function fits(key: unknown, value: unknown): boolean {
  if (key === 'overage') return TOKEN_OVERAGES.includes(value as TokenOverage);
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= mostOf(key);
}

function rule(key: unknown): string {
  return key === 'overage' ? TOKEN_OVERAGES.join(' or ') : `a whole number from 0 to ${mostOf(key)}`;
}

function mostOf(key: unknown): number {
  return MOST[key as keyof typeof MOST] ?? Number.MAX_SAFE_INTEGER;
}

/** This rule lets null pass (no limit) and nothing else but what the other rules of the property let pass. */
const orNull = (): PropertyDecorator => ValidateIf((_, value) => value !== null);

/** The caps of one day of a tenant, in numbers; null: no limit. */
export class DayCaps {
  /** Messages a UTC day. */
  @orNull() @IsInt() @Min(0) messages: number | null;
  /** Calls of a language model a UTC day. */
  @orNull() @IsInt() @Min(0) calls: number | null;
}

/** This rule says what the rules of `DayCaps` say, at a third of their price: each send brings caps. */
export function AreDayCaps(): PropertyDecorator {
  const isCap = (cap: unknown): boolean => cap === null || (Number.isInteger(cap) && (cap as number) >= 0);
  return ValidateBy({
    name: 'areDayCaps',
    validator: {
      validate: (caps: Partial<DayCaps> | null): boolean => isCap(caps?.messages) && isCap(caps?.calls),
      defaultMessage: (args): string =>
        `${args?.property} must hold messages and calls, whole numbers or null`,
    },
  });
}

/** Entitlements of a tenant: those of its plan, with the operator's overrides in effect; null: no limit. */
export class Entitlements extends DayCaps {
  @orNull() @IsInt() @Min(0) sessions: number | null;
  /** Tokens of language models that a month includes. */
  @orNull() @IsInt() @Min(0) tokens: number | null;
  /** Rule for tokens beyond those included. */
  @IsIn(TOKEN_OVERAGES) overage: TokenOverage;
  /** Bytes of files that are kept: of uploads, and as many again of files that arrived. */
  @orNull() @IsInt() @Min(0) storage: number | null;
  /** Requests a second of all keys together, on each replica of the gateway. */
  @orNull() @IsInt() @Min(0) pace: number | null;
  /** Tenant-wide endpoints. Here and below: absent from a `billing` of an earlier release. */
  @IsOptional() @IsInt() @Min(0) endpoints?: number | null;
  /** API keys that work. */
  @IsOptional() @IsInt() @Min(0) keys?: number | null;
  @IsOptional() @IsInt() @Min(0) widgets?: number | null;
  /** Messages that wait for their time. */
  @IsOptional() @IsInt() @Min(0) scheduled?: number | null;
}

/** Request of `get-entitlements`. */
export class GetEntitlementsV1 {
  @IsUUID() tenantId: string;
}

/** Request of `set-entitlement` (operator): the value takes the place of the plan's. */
export class SetEntitlementV1 {
  @IsUUID() tenantId: string;
  @IsIn(ENTITLEMENT_KEYS) key: EntitlementKey;
  @IsEntitlementValue() value: EntitlementValue;
  /** Reason for the audit log. */
  @IsString() @Length(1, 500) reason: string;
  @IsOperatorName() operator?: string;
}

/** Request of `clear-entitlement` (operator): the plan's value holds again. */
export class ClearEntitlementV1 {
  @IsUUID() tenantId: string;
  @IsIn(ENTITLEMENT_KEYS) key: EntitlementKey;
  @IsOptional() @IsString() @Length(1, 500) reason?: string;
  @IsOperatorName() operator?: string;
}

/** Override of an entitlement, and the value of the plan that it takes the place of. */
export class EntitlementOverride {
  @IsIn(ENTITLEMENT_KEYS) key: EntitlementKey;
  @IsEntitlementValue() value: EntitlementValue;
  @IsDefined() planValue: EntitlementValue;
  @IsString() actor: string;
  @IsString() reason: string;
  /** Time of the override, in domain time (ISO 8601, UTC). */
  @IsISO8601() at: string;
}

/** Reply of `get-entitlements`, `set-entitlement` and `clear-entitlement`. */
export class EntitlementsReply {
  @IsUUID() tenantId: string;
  @IsIn(PLANS) plan: Plan;
  @ValidateNested() @Type(() => Entitlements) entitlements: Entitlements;
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => EntitlementOverride)
  overrides: EntitlementOverride[];
}

/** Reads what a tenant may use and the overrides in it; `TENANT_NOT_FOUND` where there is no subscription. */
export const GetEntitlements = defineRequest(
  'billing',
  'get-entitlements',
  GetEntitlementsV1,
  EntitlementsReply,
);
/** Overrides one number of a tenant's plan (operator); it holds from the next question on. */
export const SetEntitlement = defineRequest(
  'billing',
  'set-entitlement',
  SetEntitlementV1,
  EntitlementsReply,
);
/** Takes an override away (operator); without one nothing changes. */
export const ClearEntitlement = defineRequest(
  'billing',
  'clear-entitlement',
  ClearEntitlementV1,
  EntitlementsReply,
);
