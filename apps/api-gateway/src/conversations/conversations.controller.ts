import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ConversationView, ListConversationsQuery, MessageView, type Page, PageQuery } from '@svc/contracts';
import { type Caller, CurrentCaller, NeedsScope } from '../auth/authorization.js';
import { IdParam } from '../edge/resource-id.js';
import { ApiErrors, ApiId, ApiPage } from '../openapi/answers.js';
import { ConversationsService } from './conversations.service.js';

/** `/v1/conversations` */
@ApiTags('conversations')
@Controller('v1/conversations')
export class ConversationsController {
  constructor(private readonly conversations: ConversationsService) {}

  @Get()
  @NeedsScope('messages:read')
  @ApiOperation({
    operationId: 'listConversations',
    summary: 'List conversations, the one with the newest message first',
    description:
      'The pages go through the list as it was at the first page: each conversation comes once, also while messages arrive and move some to the top. What has begun since is on a new first page. A cursor holds for an hour from its first page on.',
  })
  @ApiPage(ConversationView)
  @ApiErrors('VALIDATION_FAILED')
  list(
    @CurrentCaller() { tenantId }: Caller,
    @Query() query: ListConversationsQuery,
  ): Promise<Page<ConversationView>> {
    return this.conversations.list(tenantId, query);
  }

  @Get(':id/messages')
  @NeedsScope('messages:read')
  @ApiOperation({
    operationId: 'listConversationMessages',
    summary: 'List the messages of a conversation, newest first',
    description:
      'A page may hold fewer messages than limit, or none, although there are more: nextCursor is null at the end.',
  })
  @ApiId('id', 'Conversation id.')
  @ApiPage(MessageView)
  @ApiErrors('VALIDATION_FAILED', 'CONVERSATION_NOT_FOUND')
  messages(
    @CurrentCaller() { tenantId }: Caller,
    @IdParam('id', 'CONVERSATION_NOT_FOUND') id: string,
    @Query() query: PageQuery,
  ): Promise<Page<MessageView>> {
    return this.conversations.messagesOf(tenantId, id, query);
  }
}
