import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, UseGuards } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import {
  DeleteToolServer,
  GetToolServer,
  invalidField,
  ListToolServers,
  PutToolServerBody,
  RefreshToolServer,
  SetToolServer,
  TOOL_SERVER_NAME,
  TOOL_SERVER_WITHIN_MS,
  ToolServer,
  ToolServers,
} from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import { actorOf, type Caller, CurrentCaller, NeedsScope } from '../auth/authorization.js';
import { NoBodyGuard } from '../edge/no-body.guard.js';
import { ApiErrors } from '../openapi/answers.js';

/** Reads the name of a server from the path. */
const ServerName = (): ParameterDecorator =>
  Param('server', {
    transform: (value: string) => {
      if (TOOL_SERVER_NAME.test(value)) return value;
      throw invalidField(
        'server',
        'server must be a small letter, then small letters, digits and -: 24 at most',
      );
    },
  });

const ApiServerName = (): MethodDecorator =>
  ApiParam({
    name: 'server',
    description: 'Name of the server: models call its tools as `server__tool`, and settings name them so.',
    schema: { type: 'string', pattern: TOOL_SERVER_NAME.source },
    example: 'shop',
  });

/** `/v1/assistant/tool-servers`, asked of their owner `assistant`, which writes into the audit log who has changed them. */
@ApiTags('assistant')
@Controller('v1/assistant/tool-servers')
export class ToolServersController {
  constructor(private readonly rpc: RpcClient) {}

  @Get()
  @NeedsScope('admin:*')
  @ApiOperation({
    operationId: 'listToolServers',
    summary: 'List the MCP servers whose tools your models may call',
    description: 'All of them, 10 at most. Values of their headers are never shown.',
  })
  @ApiOkResponse({ type: ToolServers, description: 'The servers, by name.' })
  @ApiErrors()
  async list(@CurrentCaller() { tenantId }: Caller): Promise<ToolServers> {
    return { items: (await this.rpc.request(ListToolServers, { tenantId })).servers };
  }

  @Get(':server')
  @NeedsScope('admin:*')
  @ApiOperation({
    operationId: 'getToolServer',
    summary: 'Read an MCP server, with what it offered',
    description: 'It is not asked: these are its tools as they were when its list was read.',
  })
  @ApiServerName()
  @ApiOkResponse({ type: ToolServer, description: 'The server, and its tools.' })
  @ApiErrors('VALIDATION_FAILED', 'TOOL_SERVER_NOT_FOUND')
  async get(@CurrentCaller() { tenantId }: Caller, @ServerName() name: string): Promise<ToolServer> {
    return (await this.rpc.request(GetToolServer, { tenantId, name })).server;
  }

  @Put(':server')
  @NeedsScope('admin:*')
  @ApiOperation({
    operationId: 'putToolServer',
    summary: 'Let your models call tools of an MCP server',
    description:
      'The list of its tools is read now, over streamable HTTP, and kept: models get each tool of `allow` with the description and the schema that you see in the answer. What the server changes later is not taken until its list is read again, by this or by `…/refresh`. Settings name a tool as `server__tool`. A call carries in `_meta`, under `svc/call`, `{callId, sessionId, conversationId, chatId, phone}`: who the contact is comes from the gateway, so decide by that what they may see. `Idempotency-Key` is `callId`. Redirects are not followed, and what the server asks back is refused.',
  })
  @ApiServerName()
  @ApiOkResponse({ type: ToolServer, description: 'The server from now on, and its tools.' })
  @ApiErrors('VALIDATION_FAILED', 'TOOL_SERVER_FAILED', 'TOOL_SERVER_CONFLICT')
  async put(
    @CurrentCaller() caller: Caller,
    @ServerName() name: string,
    @Body() body: PutToolServerBody,
  ): Promise<ToolServer> {
    const request = { ...body, name, tenantId: caller.tenantId, actor: actorOf(caller) };
    return (await this.rpc.request(SetToolServer, request, TOOL_SERVER_WITHIN_MS)).server;
  }

  @Post(':server/refresh')
  @HttpCode(200)
  @NeedsScope('admin:*')
  @UseGuards(NoBodyGuard)
  @ApiOperation({
    operationId: 'refreshToolServer',
    summary: 'Read again what an MCP server offers',
    description:
      'Models get its tools as they are in the answer from now on. Where it fails, they go on with what was read before.',
  })
  @ApiServerName()
  @ApiOkResponse({ type: ToolServer, description: 'The server, and its tools as they are now.' })
  @ApiErrors('VALIDATION_FAILED', 'TOOL_SERVER_NOT_FOUND', 'TOOL_SERVER_FAILED', 'TOOL_SERVER_CONFLICT')
  async refresh(@CurrentCaller() caller: Caller, @ServerName() name: string): Promise<ToolServer> {
    const request = { name, tenantId: caller.tenantId, actor: actorOf(caller) };
    return (await this.rpc.request(RefreshToolServer, request, TOOL_SERVER_WITHIN_MS)).server;
  }

  @Delete(':server')
  @HttpCode(204)
  @NeedsScope('admin:*')
  @UseGuards(NoBodyGuard)
  @ApiOperation({
    operationId: 'deleteToolServer',
    summary: 'Forget an MCP server, its tools and its headers',
    description: 'Sessions whose settings name tools of it go on without them.',
  })
  @ApiServerName()
  @ApiNoContentResponse({ description: 'Forgotten; also where there was none.' })
  @ApiErrors('VALIDATION_FAILED')
  async delete(@CurrentCaller() caller: Caller, @ServerName() name: string): Promise<void> {
    const request = { name, tenantId: caller.tenantId, actor: actorOf(caller) };
    await this.rpc.request(DeleteToolServer, request);
  }
}
