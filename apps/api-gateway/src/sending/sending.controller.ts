import { Body, Controller, HttpCode, Post, Res } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { type DayUsage, DryRun, QueuedMessage, SendMessageRequest, SubscriptionState } from '@svc/contracts';
import type { FastifyReply } from 'fastify';
import { CurrentSubscription, NeedsScope } from '../auth/authorization.js';
import { ApiSendErrors, RATE_LIMIT_FIELDS } from '../openapi/answers.js';
import { NeedsSubscription } from '../subscriptions/subscriptions.service.js';
import { DryRunService } from './dry-run.service.js';
import { SendingService } from './sending.service.js';

const DAY_SECONDS = 86_400;

/** `POST /v1/messages` */
@ApiTags('messages')
@Controller('v1/messages')
export class SendingController {
  constructor(
    private readonly sending: SendingService,
    private readonly dryRuns: DryRunService,
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
  @ApiSendErrors(
    'PAYMENT_REQUIRED',
    'VALIDATION_FAILED',
    'SESSION_NOT_FOUND',
    'SESSION_NOT_CONNECTED',
    'CONTACT_OPTED_OUT',
    'CONTACT_CONFLICT',
  )
  async send(
    @CurrentSubscription() subscription: SubscriptionState,
    @Body() body: SendMessageRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<QueuedMessage | DryRun> {
    if (body.dryRun) return this.dryRuns.rehearse(subscription, body);
    const outcome = await this.sending.send(subscription, body);
    if (outcome.usage) void reply.headers(rateLimitFields(outcome.usage));
    if ('refusal' in outcome) throw outcome.refusal;
    if (outcome.replayed) void reply.header('Idempotent-Replayed', 'true');
    return outcome.message;
  }
}

/**
 * Makes the fields of the IETF draft "RateLimit header fields for HTTP": each layer by its name, with its quota of a day and what is left
 * of it. A layer that does not bind (the vendor's own tenant) is left out.
 */
function rateLimitFields(usage: DayUsage): Record<'ratelimit-policy' | 'ratelimit', string> {
  const { sessionLimit, sessionUsed, planLimit, planUsed, secondsLeft } = usage;
  const layers = [{ name: 'session', limit: sessionLimit, used: sessionUsed }];
  if (planLimit !== null) layers.push({ name: 'plan', limit: planLimit, used: planUsed });
  const field = (write: (layer: (typeof layers)[number]) => string): string => layers.map(write).join(', ');
  return {
    'ratelimit-policy': field(({ name, limit }) => `"${name}";q=${limit};w=${DAY_SECONDS}`),
    ratelimit: field(({ name, limit, used }) => `"${name}";r=${Math.max(0, limit - used)};t=${secondsLeft}`),
  };
}
