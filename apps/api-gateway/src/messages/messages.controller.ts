import { Body, Controller, Get, HttpCode, Post, Query, Res } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags, getSchemaPath } from '@nestjs/swagger';
import {
  type DayUsage,
  DryRun,
  ListMessagesQuery,
  MessageView,
  type Page,
  QueuedMessage,
  SendMessageRequest,
  SubscriptionState,
} from '@svc/contracts';
import type { FastifyReply } from 'fastify';
import { type Caller, CurrentCaller, CurrentSubscription } from '../auth/caller.js';
import { NeedsScope } from '../auth/scope.guard.js';
import { IdParam } from '../edge/resource-id.js';
import { rateLimitFields } from '../limits/rate-limit-fields.js';
import { ApiErrors, ApiId, ApiPage, RATE_LIMIT_FIELDS } from '../openapi/answers.js';
import { NeedsSubscription } from '../subscriptions/subscription.guard.js';
import { MessagesService } from './messages.service.js';
import { SendingService } from '../sending/sending.service.js';

/** `/v1/messages` */
@ApiTags('messages')
@Controller('v1/messages')
export class MessagesController {
  constructor(
    private readonly sending: SendingService,
    private readonly conversations: MessagesService,
  ) {}

  @Post()
  @HttpCode(200)
  @NeedsScope('messages:send')
  @NeedsSubscription()
  @ApiOperation({
    operationId: 'sendMessage',
    summary: 'Send a message',
    description:
      'Accepts a message; what becomes of it is told by events. Repeating a clientMessageId returns the first job, whatever happened since, with the header Idempotent-Replayed: true.',
  })
  @ApiExtraModels(QueuedMessage, DryRun)
  @ApiOkResponse({
    description: 'Accepted; or, with dryRun, whether it would be.',
    schema: { oneOf: [{ $ref: getSchemaPath(QueuedMessage) }, { $ref: getSchemaPath(DryRun) }] },
    headers: {
      'Idempotent-Replayed': {
        description: 'true where the clientMessageId had a job already: nothing was sent again.',
        schema: { type: 'string', enum: ['true'] },
      },
      ...RATE_LIMIT_FIELDS,
    },
  })
  @ApiErrors(
    'PAYMENT_REQUIRED',
    'VALIDATION_FAILED',
    'SESSION_NOT_FOUND',
    'SESSION_NOT_CONNECTED',
    'CONTACT_CONFLICT',
  )
  async send(
    @CurrentSubscription() subscription: SubscriptionState,
    @Body() body: SendMessageRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<QueuedMessage | DryRun> {
    if (body.dryRun) return this.sending.rehearse(subscription, body);
    const told = (usage: DayUsage): void => void reply.headers(rateLimitFields(usage));
    const { message, replayed } = await this.sending.send(subscription, body, told);
    if (replayed) void reply.header('Idempotent-Replayed', 'true');
    return message;
  }

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
    return this.conversations.list(tenantId, query);
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
    return this.conversations.get(tenantId, jobId);
  }
}
