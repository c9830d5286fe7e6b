import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsISO8601,
  IsOptional,
  IsString,
  IsUUID,
  Matches,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import { defineRequest } from '../../contract.js';
import { LoggedEvent } from '../../http/webhooks/event-log.js';
import { type Aspect, ASPECTS } from '../../http/webhooks/hears.js';

/** Request of `read-event-log`. */
export class ReadEventLogV1 {
  @IsUUID() tenantId: string;
  @IsInt() @Min(1) @Max(200) limit: number;
  /** Number in the log of the last event read. */
  @IsOptional() @Matches(/^\d{1,18}$/) after?: string;
  /** Time at which the log was empty, as a reply said it; in place of `after`, for a reader that has read no event. */
  @IsOptional() @IsISO8601() emptyAt?: string;
  @IsOptional() @IsString() event?: string;
  @IsOptional() @IsUUID() sessionId?: string;
  /** Aspects of events that are left out. */
  @IsOptional() @IsArray() @IsIn(ASPECTS, { each: true }) without?: Aspect[];
}

/** Reply of `read-event-log`. */
export class EventLogReply {
  @IsArray() @ValidateNested({ each: true }) @Type(() => LoggedEvent) events: LoggedEvent[];
  /** Number in the log of each event; an older dispatcher sends the last one only, as `position`. */
  @IsOptional() @IsArray() @Matches(/^\d{1,18}$/, { each: true }) positions?: string[];
  /** Number in the log up to which it was read. */
  @IsOptional() @Matches(/^\d{1,18}$/) position: string | null;
  /** Time of the reading, where there is no event; an older dispatcher does not send it. */
  @IsOptional() @IsISO8601() emptyAt?: string;
  @IsBoolean() more: boolean;
}

/**
 * Reads a tenant's events in order of arrival. `CURSOR_EXPIRED` where the event of `after` is not stored any more, or one that came
 * after `emptyAt` need not be.
 */
export const ReadEventLog = defineRequest(
  'webhook-dispatcher',
  'read-event-log',
  ReadEventLogV1,
  EventLogReply,
);

/** Request of `find-event-log-ends`. */
export class FindEventLogEndsV1 {
  @IsUUID(undefined, { each: true }) @ArrayMaxSize(1_000) tenantIds: string[];
}

/** Reply of `find-event-log-ends`. */
class EventLogEnds {
  /** The number of the last event per tenant, in the order of the question; `0`: none. */
  @Matches(/^\d{1,18}$/, { each: true }) ends: string[];
  /** Time of the reading; an older dispatcher does not send it. */
  @IsOptional() @IsISO8601() at?: string;
}

/** Finds the ends of the event logs of tenants: much less work than reading them. */
export const FindEventLogEnds = defineRequest(
  'webhook-dispatcher',
  'find-event-log-ends',
  FindEventLogEndsV1,
  EventLogEnds,
);
