import { Type } from 'class-transformer';
import { IsArray, IsBoolean, IsInt, IsISO8601, IsOptional, IsString, ValidateNested } from 'class-validator';
import { defineRequest, type RequestContract } from '../contract.js';
import { Nothing } from './refs.js';

/** Database of a process, as the process finds it. */
export class DatabaseState {
  /** Time at which the server started: processes on the same server say the same. */
  @IsISO8601() serverStartedAt: string;
  /** Connections that the server has for services. */
  @IsInt() connections: number;
  /** Most connections that this process opens. */
  @IsInt() pool: number;
  /** Milliseconds by which the clock of this process is ahead of the server's; less than zero: behind. */
  @IsInt() clockAheadMs: number;
  /** Its login may do more than become the role of its schema: it is a superuser, makes roles, or has roles of others. */
  @IsBoolean() loginMayMore: boolean;
}

/** Reply of `check-up`: how a process finds itself. It names variables and has sentences, and holds no value of a variable. */
export class CheckUpReply {
  /** Host name and process id. */
  @IsString() process: string;
  /** Version of its app. */
  @IsString() version: string;
  @IsString() node: string;
  @IsISO8601() startedAt: string;
  /** False: it runs for development. */
  @IsBoolean() production: boolean;
  /** Sentences with which a start in production would refuse its configuration. */
  @IsArray() @IsString({ each: true }) refusals: string[];
  /** Names of the variables that hold former or next keys. */
  @IsArray() @IsString({ each: true }) keysBeside: string[];
  /** Sentences about streams that are missing or not as it wants them. */
  @IsArray() @IsString({ each: true }) streams: string[];
  /** Null: the database does not answer. Absent: it has none. */
  @IsOptional() @ValidateNested() @Type(() => DatabaseState) database?: DatabaseState | null;
}

/** Makes the request for the state of an app's processes (operator). Every process answers for itself. */
export function checkUpOf(app: string): RequestContract<Nothing, CheckUpReply> {
  return defineRequest(app, 'check-up', Nothing, CheckUpReply);
}
