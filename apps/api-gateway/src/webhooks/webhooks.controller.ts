import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Query, UseGuards } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import {
  answerTable,
  CreateEndpoint,
  CreateWebhookBody,
  DeleteEndpoint,
  GetEndpoint,
  ListEndpoints,
  type Page,
  PageQuery,
  UpdateEndpoint,
  UpdateWebhookBody,
  WebhookEndpoint,
  WebhookEndpointWithSecret,
} from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import { actorOf, type Caller, CurrentCaller, NeedsScope } from '../auth/authorization.js';
import { NoBodyGuard } from '../edge/no-body.guard.js';
import { IdParam } from '../edge/resource-id.js';
import { QuotasService } from '../limits/quotas.service.js';
import { ApiErrors, ApiId, ApiPage } from '../openapi/answers.js';
import { Cursors, DEFAULT_LIMIT } from '../paging/cursor.js';

const NOT_FOUND = 'ENDPOINT_NOT_FOUND';
/** Summary of docs/webhooks.md, which has a test for each of its sentences. */
const CREATED = `It hears what is said in all sessions: this scope is as strong as messages:read.

Each event is a signed POST: check \`X-Svc-Signature\`, answer 2xx within 10 seconds, and know a delivery that comes again by its \`deliveryId\`. What fails is sent again after 30 seconds, 2 minutes, 10 minutes and 1 hour, 5 attempts in all, and is a dead letter then. Five permanent answers in a row pause the endpoint: what comes is held for 3 days, 100,000 at most, until it is reactivated or gets another \`url\`.

${answerTable()}`;

/** `/v1/webhooks`, asked of their owner `webhook-dispatcher`, which writes into the audit log who has changed one. */
@ApiTags('webhooks')
@Controller('v1/webhooks')
export class WebhooksController {
  constructor(
    private readonly rpc: RpcClient,
    private readonly cursors: Cursors,
    private readonly quotas: QuotasService,
  ) {}

  @Post()
  @NeedsScope('webhooks:manage')
  @ApiOperation({
    operationId: 'createWebhook',
    summary: 'Register an endpoint for the events of all sessions',
    description: CREATED,
  })
  @ApiCreatedResponse({
    type: WebhookEndpointWithSecret,
    description: 'Registered; the only answer with the secret.',
  })
  @ApiErrors('VALIDATION_FAILED', 'QUOTA_CONFLICT')
  async create(
    @CurrentCaller() caller: Caller,
    @Body() body: CreateWebhookBody,
  ): Promise<WebhookEndpointWithSecret> {
    const most = await this.quotas.most(caller.tenantId, 'endpoints');
    const request = { ...body, ...by(caller), ...(most === null ? {} : { most }) };
    return (await this.rpc.request(CreateEndpoint, request)).endpoint;
  }

  @Get()
  @NeedsScope('webhooks:manage')
  @ApiOperation({ operationId: 'listWebhooks', summary: 'List endpoints, newest first' })
  @ApiPage(WebhookEndpoint)
  @ApiErrors('VALIDATION_FAILED')
  async list(
    @CurrentCaller() { tenantId }: Caller,
    @Query() { limit = DEFAULT_LIMIT, before: cursor }: PageQuery,
  ): Promise<Page<WebhookEndpoint>> {
    const list = `webhooks:${tenantId}`;
    const before = this.cursors.decode(list, cursor);
    const request = { tenantId, limit: limit + 1, ...(before && { before }) };
    const { endpoints } = await this.rpc.request(ListEndpoints, request);
    return this.cursors.page(list, endpoints, limit, ({ id }) => id);
  }

  @Get(':id')
  @NeedsScope('webhooks:manage')
  @ApiOperation({ operationId: 'getWebhook', summary: 'Read one endpoint' })
  @ApiId('id', 'Endpoint id.')
  @ApiOkResponse({ type: WebhookEndpoint, description: 'The endpoint.' })
  @ApiErrors(NOT_FOUND)
  async get(
    @CurrentCaller() { tenantId }: Caller,
    @IdParam('id', NOT_FOUND) endpointId: string,
  ): Promise<WebhookEndpoint> {
    return (await this.rpc.request(GetEndpoint, { tenantId, endpointId })).endpoint;
  }

  @Patch(':id')
  @NeedsScope('webhooks:manage')
  @ApiOperation({
    operationId: 'updateWebhook',
    summary: 'Change an endpoint',
    description: 'Another `url` also lifts a pause: what is held goes there, oldest first.',
  })
  @ApiId('id', 'Endpoint id.')
  @ApiOkResponse({ type: WebhookEndpoint, description: 'The endpoint from now on.' })
  @ApiErrors('VALIDATION_FAILED', NOT_FOUND, 'SESSION_STATE_CONFLICT')
  async update(
    @CurrentCaller() caller: Caller,
    @IdParam('id', NOT_FOUND) endpointId: string,
    @Body() body: UpdateWebhookBody,
  ): Promise<WebhookEndpoint> {
    const request = { ...body, ...by(caller), endpointId };
    return (await this.rpc.request(UpdateEndpoint, request)).endpoint;
  }

  @Delete(':id')
  @HttpCode(204)
  @NeedsScope('webhooks:manage')
  @UseGuards(NoBodyGuard)
  @ApiOperation({
    operationId: 'deleteWebhook',
    summary: 'Delete an endpoint and what waits for it',
    description:
      'One that is bound to a session can be deleted while the session is `MANAGED`, and goes with the session.',
  })
  @ApiId('id', 'Endpoint id.')
  @ApiNoContentResponse({ description: 'Deleted.' })
  @ApiErrors('VALIDATION_FAILED', NOT_FOUND, 'SESSION_STATE_CONFLICT')
  async delete(@CurrentCaller() caller: Caller, @IdParam('id', NOT_FOUND) endpointId: string): Promise<void> {
    await this.rpc.request(DeleteEndpoint, { ...by(caller), endpointId });
  }
}

/** Names the tenant and the caller for the audit log. */
function by(caller: Caller): { tenantId: string; actor: string } {
  return { tenantId: caller.tenantId, actor: actorOf(caller) };
}
