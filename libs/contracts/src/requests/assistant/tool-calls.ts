import { Type } from 'class-transformer';
import {
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsISO8601,
  IsObject,
  IsOptional,
  IsString,
  IsUUID,
  Matches,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import { defineRequest } from '../../contract.js';
import { ApprovedCall, LISTED_CALL_STATES } from '../../http/assistant/tools/tool-calls.js';
import { Nothing, TenantRef } from '../refs.js';
import { SessionRef } from '../sessions/sessions.js';

/** Number of a call in the list: later ones have higher ones. */
const PLACE = /^\d{1,19}$/;

/** Request of `list-tool-calls`: calls that wait for a person, the last one first. */
export class ListToolCallsV1 extends TenantRef {
  /** Only calls of this session. */
  @IsOptional() @IsUUID() sessionId?: string;
  /** Number of rows, one more than a page holds: the gateway sees whether another page follows. */
  @IsInt() @Min(1) @Max(201) limit: number;
  /** `place` of the last item of the page before. */
  @IsOptional() @Matches(PLACE) before?: string;
}

/** A call that waits for a person. */
export class ListedCall extends SessionRef {
  @IsUUID() id: string;
  /** Place of the call in the list, which stays when it is deleted. */
  @Matches(PLACE) place: string;
  @IsUUID() turnId: string;
  @IsString() chat: string;
  @IsString() tool: string;
  @IsObject() arguments: Record<string, unknown>;
  @IsIn(LISTED_CALL_STATES) state: (typeof LISTED_CALL_STATES)[number];
  @IsISO8601() createdAt: string;
  @IsISO8601() expiresAt: string;
}

/** Reply of `list-tool-calls`. */
export class ToolCallsReply {
  /** More calls were asked for and are there than one reply carries; two at least are in it. */
  @IsBoolean() isCut: boolean;
  @IsArray() @ValidateNested({ each: true }) @Type(() => ListedCall) calls: ListedCall[];
}

/** Names a call of a tenant, and who decides on it. */
export class DecideToolCallV1 extends TenantRef {
  @IsUUID() callId: string;
  /** Actor for the audit log: `key:<kid>`. */
  @IsString() actor: string;
}

const APP = 'assistant';
/** Lists calls of tools that wait for a person. */
export const ListToolCalls = defineRequest(APP, 'list-tool-calls', ListToolCallsV1, ToolCallsReply);
/**
 * Calls a tool as the model wanted, once; a repeat has the same reply, or makes a call that was cut off again under the same key.
 * `TOOL_CALL_CONFLICT` where it was refused, the tool has changed, or the session may not call it any more.
 */
export const ApproveToolCall = defineRequest(APP, 'approve-tool-call', DecideToolCallV1, ApprovedCall);
/** Refuses a call; a repeat changes nothing. `TOOL_CALL_CONFLICT` where it was approved. */
export const RefuseToolCall = defineRequest(APP, 'refuse-tool-call', DecideToolCallV1, Nothing);
