import { Body, Controller, Delete, Get, HttpCode, Param, Put, UseGuards } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import {
  DeleteTool,
  invalidField,
  ListTools,
  PutToolBody,
  SetTool,
  TOOL_NAME,
  Tools,
  ToolView,
} from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import { actorOf, type Caller, CurrentCaller, NeedsScope } from '../auth/authorization.js';
import { NoBodyGuard } from '../edge/no-body.guard.js';
import { ApiErrors } from '../openapi/answers.js';

/** Reads the name of a tool from the path. */
const ToolName = (): ParameterDecorator =>
  Param('name', {
    transform: (value: string) => {
      if (!TOOL_NAME.test(value))
        throw invalidField(
          'name',
          'name must be a small letter, then small letters, digits and _: 48 at most',
        );
      return value;
    },
  });

const ApiToolName = (): MethodDecorator =>
  ApiParam({
    name: 'name',
    description: 'Name by which the model calls the tool, and by which settings name it.',
    schema: { type: 'string', pattern: TOOL_NAME.source },
    example: 'look_up_order',
  });

/** `/v1/assistant/tools`, asked of their owner `assistant`, which writes into the audit log who has changed them. */
@ApiTags('assistant')
@Controller('v1/assistant/tools')
export class ToolsController {
  constructor(private readonly rpc: RpcClient) {}

  @Get()
  @NeedsScope('admin:*')
  @ApiOperation({
    operationId: 'listTools',
    summary: 'List the tools that your models may call',
    description: 'All of them, 32 at most. Values of their headers are never shown.',
  })
  @ApiOkResponse({ type: Tools, description: 'The tools, by name.' })
  @ApiErrors()
  async list(@CurrentCaller() { tenantId }: Caller): Promise<Tools> {
    return { items: (await this.rpc.request(ListTools, { tenantId })).tools };
  }

  @Put(':name')
  @NeedsScope('admin:*')
  @ApiOperation({
    operationId: 'putTool',
    summary: 'Let your models call a program of yours',
    description:
      'A model calls it in the sessions whose published settings name it in `tools`. The call is a POST of `{callId, tool, arguments, sessionId, conversationId, chatId, phone}`: the arguments are the model’s, checked against `parameters`; who the contact is comes from the gateway, so decide by that what they may see. `Idempotency-Key` is `callId`: a call that is made again after a failure has the same. A 2xx answer is read by the model, its first 8,000 characters; any other says that the tool has failed. Redirects are not followed.',
  })
  @ApiToolName()
  @ApiOkResponse({ type: ToolView, description: 'The tool from now on.' })
  @ApiErrors('VALIDATION_FAILED')
  async put(
    @CurrentCaller() caller: Caller,
    @ToolName() name: string,
    @Body() body: PutToolBody,
  ): Promise<ToolView> {
    const { tenantId } = caller;
    return (await this.rpc.request(SetTool, { ...body, name, tenantId, actor: actorOf(caller) })).tool;
  }

  @Delete(':name')
  @HttpCode(204)
  @NeedsScope('admin:*')
  @UseGuards(NoBodyGuard)
  @ApiOperation({
    operationId: 'deleteTool',
    summary: 'Forget a tool, and its headers',
    description: 'Sessions whose settings name it go on without it.',
  })
  @ApiToolName()
  @ApiNoContentResponse({ description: 'Forgotten; also where there was none.' })
  @ApiErrors('VALIDATION_FAILED')
  async delete(@CurrentCaller() caller: Caller, @ToolName() name: string): Promise<void> {
    await this.rpc.request(DeleteTool, { tenantId: caller.tenantId, name, actor: actorOf(caller) });
  }
}
