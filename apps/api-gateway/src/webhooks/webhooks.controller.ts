import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Query, UseGuards } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import {
  CreateWebhookBody,
  type Page,
  PageQuery,
  UpdateWebhookBody,
  WebhookEndpoint,
  WebhookEndpointWithSecret,
} from '@svc/contracts';
import { type Caller, CurrentCaller } from '../auth/caller.js';
import { NeedsScope } from '../auth/scope.guard.js';
import { NoBodyGuard } from '../edge/no-body.guard.js';
import { IdParam } from '../edge/resource-id.js';
import { ApiErrors, ApiId, ApiPage } from '../openapi/answers.js';
import { WebhooksService } from './webhooks.service.js';

const NOT_FOUND = 'ENDPOINT_NOT_FOUND';

/** `/v1/webhooks` */
@ApiTags('webhooks')
@Controller('v1/webhooks')
export class WebhooksController {
  constructor(private readonly webhooks: WebhooksService) {}

  @Post()
  @NeedsScope('webhooks:manage')
  @ApiOperation({
    operationId: 'createWebhook',
    summary: 'Register an endpoint for the events of all sessions',
  })
  @ApiCreatedResponse({
    type: WebhookEndpointWithSecret,
    description: 'Registered; the only answer with the secret.',
  })
  @ApiErrors('VALIDATION_FAILED')
  create(
    @CurrentCaller() caller: Caller,
    @Body() body: CreateWebhookBody,
  ): Promise<WebhookEndpointWithSecret> {
    return this.webhooks.create(caller, body);
  }

  @Get()
  @NeedsScope('webhooks:manage')
  @ApiOperation({ operationId: 'listWebhooks', summary: 'List endpoints, newest first' })
  @ApiPage(WebhookEndpoint)
  @ApiErrors('VALIDATION_FAILED')
  list(@CurrentCaller() { tenantId }: Caller, @Query() query: PageQuery): Promise<Page<WebhookEndpoint>> {
    return this.webhooks.list(tenantId, query);
  }

  @Get(':id')
  @NeedsScope('webhooks:manage')
  @ApiOperation({ operationId: 'getWebhook', summary: 'Read one endpoint' })
  @ApiId('id', 'Endpoint id.')
  @ApiOkResponse({ type: WebhookEndpoint, description: 'The endpoint.' })
  @ApiErrors(NOT_FOUND)
  get(@CurrentCaller() { tenantId }: Caller, @IdParam('id', NOT_FOUND) id: string): Promise<WebhookEndpoint> {
    return this.webhooks.get(tenantId, id);
  }

  @Patch(':id')
  @NeedsScope('webhooks:manage')
  @ApiOperation({ operationId: 'updateWebhook', summary: 'Change an endpoint' })
  @ApiId('id', 'Endpoint id.')
  @ApiOkResponse({ type: WebhookEndpoint, description: 'The endpoint from now on.' })
  @ApiErrors('VALIDATION_FAILED', NOT_FOUND, 'SESSION_STATE_CONFLICT')
  update(
    @CurrentCaller() caller: Caller,
    @IdParam('id', NOT_FOUND) id: string,
    @Body() body: UpdateWebhookBody,
  ): Promise<WebhookEndpoint> {
    return this.webhooks.update(caller, id, body);
  }

  @Delete(':id')
  @HttpCode(204)
  @NeedsScope('webhooks:manage')
  @UseGuards(NoBodyGuard)
  @ApiOperation({
    operationId: 'deleteWebhook',
    summary: 'Delete an endpoint and what waits for it',
    description: 'One that is bound to a session is switched off with the external config of the session.',
  })
  @ApiId('id', 'Endpoint id.')
  @ApiNoContentResponse({ description: 'Deleted.' })
  @ApiErrors('VALIDATION_FAILED', NOT_FOUND, 'SESSION_STATE_CONFLICT')
  delete(@CurrentCaller() caller: Caller, @IdParam('id', NOT_FOUND) id: string): Promise<void> {
    return this.webhooks.delete(caller, id);
  }
}
