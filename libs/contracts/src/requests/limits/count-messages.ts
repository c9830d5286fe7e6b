import { Type } from 'class-transformer';
import { IsArray, IsInt, IsISO8601, IsString, IsUUID, ValidateNested } from 'class-validator';
import { defineRequest } from '../../contract.js';

/** Request of `count-messages` of limits: dates in UTC, the last one left out. */
export class CountMessagesV1 {
  @IsUUID() tenantId: string;
  @IsISO8601() from: string;
  @IsISO8601() to: string;
}

/** Messages of a day or of a session. */
export class MessageCount {
  /** A date, or a session id. */
  @IsString() key: string;
  @IsInt() messages: number;
}

/** Reply of `count-messages`: accepted ones, less those whose unit came back to the session. */
export class MessageCounts {
  @IsArray() @ValidateNested({ each: true }) @Type(() => MessageCount) days: MessageCount[];
  @IsArray() @ValidateNested({ each: true }) @Type(() => MessageCount) sessions: MessageCount[];
}

/** Reads the messages that were counted against the daily limits, by day and by session. */
export const CountMessages = defineRequest('limits', 'count-messages', CountMessagesV1, MessageCounts);
