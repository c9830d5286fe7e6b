import { Type } from 'class-transformer';
import { IsArray, IsString, IsUUID, Matches, ValidateNested } from 'class-validator';
import { defineRequest } from '../../contract.js';
import {
  PutToolServerBody,
  TOOL_SERVER_NAME,
  ToolServer,
  ToolServerView,
} from '../../http/assistant/tools/tool-servers.js';
import { Nothing, TenantRef } from '../refs.js';

/** Request of `set-tool-server`. */
export class SetToolServerV1 extends PutToolServerBody {
  @IsUUID() tenantId: string;
  @Matches(TOOL_SERVER_NAME) name: string;
  /** Actor for the audit log: `key:<kid>`. */
  @IsString() actor: string;
}

/** Names an MCP server of a tenant. */
export class ToolServerRef extends TenantRef {
  @Matches(TOOL_SERVER_NAME) name: string;
}

/** Request of `refresh-tool-server` and of `delete-tool-server`. */
export class ChangeToolServerV1 extends ToolServerRef {
  @IsString() actor: string;
}

/** Reply with one MCP server. */
export class ToolServerReply {
  @ValidateNested() @Type(() => ToolServer) server: ToolServer;
}

/** Reply of `list-tool-servers`. */
export class ToolServersReply {
  @IsArray() @ValidateNested({ each: true }) @Type(() => ToolServerView) servers: ToolServerView[];
}

/** Milliseconds after which a server was read, or has failed. */
export const TOOL_SERVER_WITHIN_MS = 20_000;

const APP = 'assistant';
/** Lists the MCP servers of a tenant, by name. */
export const ListToolServers = defineRequest(APP, 'list-tool-servers', TenantRef, ToolServersReply);
/** Reads an MCP server with what it offered; `TOOL_SERVER_NOT_FOUND`. */
export const GetToolServer = defineRequest(APP, 'get-tool-server', ToolServerRef, ToolServerReply);
/**
 * Sets an MCP server, and reads what it offers. `VALIDATION_FAILED` where its address may not be connected to, a name gets too long, or another address shall
 * get stored headers; `TOOL_SERVER_FAILED` where its list cannot be read: nothing is changed then.
 */
export const SetToolServer = defineRequest(APP, 'set-tool-server', SetToolServerV1, ToolServerReply);
/** Reads again what an MCP server offers; `TOOL_SERVER_NOT_FOUND`; `TOOL_SERVER_FAILED`: models go on with what was read before. */
export const RefreshToolServer = defineRequest(
  APP,
  'refresh-tool-server',
  ChangeToolServerV1,
  ToolServerReply,
);
/** Deletes an MCP server, with its headers; sessions whose settings name tools of it go on without them. */
export const DeleteToolServer = defineRequest(APP, 'delete-tool-server', ChangeToolServerV1, Nothing);
