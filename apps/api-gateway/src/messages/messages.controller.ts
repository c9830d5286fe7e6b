import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ListMessagesQuery, MessageView, type Page } from '@svc/contracts';
import { type Caller, CurrentCaller, NeedsScope } from '../auth/authorization.js';
import { IdParam } from '../edge/resource-id.js';
import { ApiErrors, ApiId, ApiPage } from '../openapi/answers.js';
import { MessagesService } from './messages.service.js';

/** `GET /v1/messages` */
@ApiTags('messages')
@Controller('v1/messages')
export class MessagesController {
  constructor(private readonly messages: MessagesService) {}

  @Get()
  @NeedsScope('messages:read')
  @ApiOperation({
    operationId: 'listMessages',
    summary: 'List messages, newest first',
    description:
      'Filters narrow each other; a cursor belongs to the filters it came with. A page may hold fewer messages than limit, or none, although there are more: nextCursor is null at the end. A message stands by the time at which it was written: one that the platform hands over late may stand behind the place that a cursor has reached. `GET /v1/events` tells everything in the order in which it was heard.',
  })
  @ApiPage(MessageView)
  @ApiErrors('VALIDATION_FAILED')
  list(@CurrentCaller() { tenantId }: Caller, @Query() query: ListMessagesQuery): Promise<Page<MessageView>> {
    return this.messages.list(tenantId, query);
  }

  @Get(':jobId')
  @NeedsScope('messages:read')
  @ApiOperation({ operationId: 'getMessage', summary: 'Read one message' })
  @ApiId('jobId', 'Job id that the send returned, or the id of an inbound message.')
  @ApiOkResponse({ type: MessageView, description: 'The message.' })
  @ApiErrors('MESSAGE_NOT_FOUND')
  get(
    @CurrentCaller() { tenantId }: Caller,
    @IdParam('jobId', 'MESSAGE_NOT_FOUND') jobId: string,
  ): Promise<MessageView> {
    return this.messages.get(tenantId, jobId);
  }
}
