import { Body, Controller, Get, HttpCode, Post, Query, UseGuards } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ConversationOwnerView, HandoffBody, HandoffView, type Page, PageQuery } from '@svc/contracts';
import { type Caller, CurrentCaller, NeedsScope } from '../auth/authorization.js';
import { NoBodyGuard } from '../edge/no-body.guard.js';
import { IdParam } from '../edge/resource-id.js';
import { ApiErrors, ApiId, ApiPage } from '../openapi/answers.js';
import { HandoffsService } from './handoffs.service.js';

const NOT_FOUND = 'CONVERSATION_NOT_FOUND';

/** `/v1/handoffs`, and `/v1/conversations/:id/handoff` and `…/resume`. */
@ApiTags('assistant')
@Controller('v1')
export class HandoffsController {
  constructor(private readonly handoffs: HandoffsService) {}

  @Get('handoffs')
  @NeedsScope('messages:read')
  @ApiOperation({
    operationId: 'listHandoffs',
    summary: 'List conversations that the assistant leaves to a person, those handed over last first',
  })
  @ApiPage(HandoffView)
  @ApiErrors('VALIDATION_FAILED')
  list(@CurrentCaller() { tenantId }: Caller, @Query() query: PageQuery): Promise<Page<HandoffView>> {
    return this.handoffs.list(tenantId, query);
  }

  @Post('conversations/:id/handoff')
  @HttpCode(200)
  @NeedsScope('messages:send')
  @ApiOperation({
    operationId: 'handOffConversation',
    summary: 'Have the assistant leave a conversation to a person',
    description:
      'From then on it says nothing there, until the minutes are over or the conversation is resumed. `conversation.handoff` tells of it, unless a person has the conversation already.',
  })
  @ApiId('id', 'Conversation id.')
  @ApiOkResponse({ type: ConversationOwnerView, description: 'Who has it from now on.' })
  @ApiErrors('VALIDATION_FAILED', NOT_FOUND)
  handOff(
    @CurrentCaller() { tenantId }: Caller,
    @IdParam('id', NOT_FOUND) id: string,
    @Body() body: HandoffBody,
  ): Promise<ConversationOwnerView> {
    return this.handoffs.setOwner(tenantId, id, { ...body, owner: 'HUMAN' });
  }

  @Post('conversations/:id/resume')
  @HttpCode(200)
  @NeedsScope('messages:send')
  @UseGuards(NoBodyGuard)
  @ApiOperation({
    operationId: 'resumeConversation',
    summary: 'Give a conversation back to the assistant',
    description: 'It answers from the next message on; what was written before stays with the person.',
  })
  @ApiId('id', 'Conversation id.')
  @ApiOkResponse({ type: ConversationOwnerView, description: 'Who has it from now on.' })
  @ApiErrors('VALIDATION_FAILED', NOT_FOUND)
  resume(
    @CurrentCaller() { tenantId }: Caller,
    @IdParam('id', NOT_FOUND) id: string,
  ): Promise<ConversationOwnerView> {
    return this.handoffs.setOwner(tenantId, id, { owner: 'ASSISTANT' });
  }
}
