import { Controller, Get, HttpCode, Post, Query, UseGuards } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApprovedCall, ListToolCallsQuery, type Page, WaitingCallView } from '@svc/contracts';
import { actorOf, type Caller, CurrentCaller, NeedsScope } from '../auth/authorization.js';
import { NoBodyGuard } from '../edge/no-body.guard.js';
import { IdParam } from '../edge/resource-id.js';
import { ApiErrors, ApiId, ApiPage } from '../openapi/answers.js';
import { ToolCallsService } from './tool-calls.service.js';

const NOT_FOUND = 'TOOL_CALL_NOT_FOUND';
const CONFLICT = 'TOOL_CALL_CONFLICT';

/** `/v1/tool-calls` */
@ApiTags('assistant')
@Controller('v1/tool-calls')
export class ToolCallsController {
  constructor(private readonly calls: ToolCallsService) {}

  @Get()
  @NeedsScope('messages:read')
  @ApiOperation({
    operationId: 'listToolCalls',
    summary: 'List calls of tools that wait for a person to approve them, the last one first',
    description:
      'The models of the assistant want them, of tools with `needsApproval`. Each waits for 24 hours, the 500 newest ones of a session; a conversation that a person has taken over ends none. A page may hold fewer calls than limit, although there are more: nextCursor is null at the end.',
  })
  @ApiPage(WaitingCallView)
  @ApiErrors('VALIDATION_FAILED')
  list(
    @CurrentCaller() { tenantId }: Caller,
    @Query() query: ListToolCallsQuery,
  ): Promise<Page<WaitingCallView>> {
    return this.calls.list(tenantId, query);
  }

  @Post(':id/approve')
  @HttpCode(200)
  @NeedsScope('messages:send')
  @UseGuards(NoBodyGuard)
  @ApiOperation({
    operationId: 'approveToolCall',
    summary: 'Have a tool called as the model wanted',
    description:
      'It is called once, however often it is approved; a call that was cut off is made again, with the same `Idempotency-Key`. Then the assistant tells the contact what came of it, where the conversation is still its own and its mode is auto; otherwise its model reads it in the next turn of the conversation. `TOOL_CALL_CONFLICT` where it was refused, the tool has changed since, the session is EXTERNAL, its assistant is off, or its settings do not name the tool: nothing is called then.',
  })
  @ApiId('id', 'Id of the call.')
  @ApiOkResponse({ type: ApprovedCall, description: 'What became of it; also where that was before.' })
  @ApiErrors('SESSION_NOT_FOUND', NOT_FOUND, CONFLICT)
  approve(@CurrentCaller() caller: Caller, @IdParam('id', NOT_FOUND) callId: string): Promise<ApprovedCall> {
    return this.calls.approve({ tenantId: caller.tenantId, callId, actor: actorOf(caller) });
  }

  @Post(':id/refuse')
  @HttpCode(204)
  @NeedsScope('messages:send')
  @UseGuards(NoBodyGuard)
  @ApiOperation({
    operationId: 'refuseToolCall',
    summary: 'Refuse a call of a tool',
    description:
      'It is not made. Nothing is sent: the model reads that it was refused in the next turn of the conversation. `TOOL_CALL_CONFLICT` where it was approved.',
  })
  @ApiId('id', 'Id of the call.')
  @ApiNoContentResponse({ description: 'Refused; also where it was before.' })
  @ApiErrors(NOT_FOUND, CONFLICT)
  refuse(@CurrentCaller() caller: Caller, @IdParam('id', NOT_FOUND) callId: string): Promise<void> {
    return this.calls.refuse({ tenantId: caller.tenantId, callId, actor: actorOf(caller) });
  }
}
