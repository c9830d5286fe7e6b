import { Type } from 'class-transformer';
import {
  IsArray,
  IsIn,
  IsInt,
  IsISO8601,
  IsOptional,
  IsString,
  IsUUID,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import { defineRequest } from '../../contract.js';
import { Nothing } from '../refs.js';
import { IsOperatorName } from '../tenants/operator-name.js';

/** Revisions have ten digits; the bounds are those of what may be one. */
export const LEAST_REVISION = 1_000_000_000;
/** Highest number that may be a revision. */
export const MOST_REVISION = 2_147_483_647;

/** Revision of the platform's client that one session tries before the others use it. */
export class VersionCandidate {
  @IsInt() revision: number;
  /** Address that named it. */
  @IsString() source: string;
  @IsISO8601() foundAt: string;
  /** Session that tries it; null: none yet. */
  @IsOptional() @IsUUID() sessionId: string | null;
  /** Time since which that session is connected with it; null: it is not. */
  @IsOptional() @IsISO8601() connectedAt: string | null;
}

/** Refusal of the revision that sessions log in with. */
export class VersionOutage {
  @IsISO8601() since: string;
  /** Time at which one session tries it again. */
  @IsISO8601() nextTryAt: string;
}

/** Reply of `get-platform-version` and `set-platform-version`. */
export class PlatformVersionReply {
  /** `pinned`: the operator has named the revision. */
  @IsIn(['auto', 'pinned']) mode: 'auto' | 'pinned';
  /** Revision that sessions log in with. */
  @IsInt() revision: number;
  /** Age of that revision in days, estimated by its number; old ones are refused after some 80 to 150. */
  @IsOptional() @IsInt() ageDays?: number;
  /** Source that named it: an address, `library` or `operator`. */
  @IsString() source: string;
  /** Latest time at which a login with it is known to be accepted. */
  @IsOptional() @IsISO8601() acceptedAt: string | null;
  @IsOptional() @ValidateNested() @Type(() => VersionCandidate) candidate: VersionCandidate | null;
  @IsOptional() @ValidateNested() @Type(() => VersionOutage) outdated: VersionOutage | null;
  /** Revisions that were tried and refused. */
  @IsArray() @IsInt({ each: true }) refused: number[];
  /** Time at which the sources are read next; null: they are not. */
  @IsOptional() @IsISO8601() nextReadAt: string | null;
}

/** Request of `set-platform-version` (operator). */
export class SetPlatformVersionV1 {
  /** Null: the sources name it. */
  @IsOptional() @IsInt() @Min(LEAST_REVISION) @Max(MOST_REVISION) revision: number | null;
  @IsOperatorName() operator?: string;
}

/** Shows with which revision of the platform's client sessions log in (operator). */
export const GetPlatformVersion = defineRequest(
  'session-worker',
  'get-platform-version',
  Nothing,
  PlatformVersionReply,
);
/** Names the revision for all logins from now on, or lets the sources name it (operator). */
export const SetPlatformVersion = defineRequest(
  'session-worker',
  'set-platform-version',
  SetPlatformVersionV1,
  PlatformVersionReply,
);
