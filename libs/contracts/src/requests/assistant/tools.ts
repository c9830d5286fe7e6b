import { Type } from 'class-transformer';
import { IsArray, IsString, IsUUID, Matches, ValidateNested } from 'class-validator';
import { defineRequest } from '../../contract.js';
import { PutToolBody, TOOL_NAME, ToolView } from '../../http/assistant/tools/tools.js';
import { Nothing, TenantRef } from '../refs.js';

/** Request of `set-tool`. */
export class SetToolV1 extends PutToolBody {
  @IsUUID() tenantId: string;
  @Matches(TOOL_NAME) name: string;
  /** Actor for the audit log: `key:<kid>`. */
  @IsString() actor: string;
}

/** Request of `delete-tool`. */
export class DeleteToolV1 extends TenantRef {
  @Matches(TOOL_NAME) name: string;
  @IsString() actor: string;
}

/** Reply of `set-tool`. */
export class ToolReply {
  @ValidateNested() @Type(() => ToolView) tool: ToolView;
}

/** Reply of `list-tools`. */
export class ToolsReply {
  @IsArray() @ValidateNested({ each: true }) @Type(() => ToolView) tools: ToolView[];
}

const APP = 'assistant';
/** Lists the tools of a tenant, by name. */
export const ListTools = defineRequest(APP, 'list-tools', TenantRef, ToolsReply);
/** Sets a tool; `VALIDATION_FAILED` where its address may not be connected to, its parameters are no schema, or another address shall get stored headers. */
export const SetTool = defineRequest(APP, 'set-tool', SetToolV1, ToolReply);
/** Deletes a tool, with its headers; sessions whose settings name it go on without it. */
export const DeleteTool = defineRequest(APP, 'delete-tool', DeleteToolV1, Nothing);
