import { Body, Controller, Get, HttpCode, Post, UseGuards } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  EndpointReasonBody,
  GetEndpointHealth,
  PauseEndpoint,
  ReactivateEndpoint,
  RotateEndpointSecret,
  TestEndpoint,
  WebhookEndpoint,
  WebhookEndpointWithSecret,
  WebhookHealth,
  WebhookTestResult,
} from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import { actorOf, type Caller, CurrentCaller, NeedsScope } from '../auth/authorization.js';
import { NoBodyGuard } from '../edge/no-body.guard.js';
import { IdParam } from '../edge/resource-id.js';
import { withoutNulls } from '../edge/without-nulls.js';
import { ApiErrors, ApiId } from '../openapi/answers.js';

const NOT_FOUND = 'ENDPOINT_NOT_FOUND';
/** Time limit of a test event, in ms: longer than an attempt may last. */
const TEST_TIMEOUT_MS = 14_000;

/** `/v1/webhooks/:id/…`: what is done with an endpoint besides changing its fields. */
@ApiTags('webhooks')
@Controller('v1/webhooks/:id')
export class WebhookActionsController {
  constructor(private readonly rpc: RpcClient) {}

  @Post('rotate-secret')
  @HttpCode(200)
  @NeedsScope('webhooks:manage')
  @UseGuards(NoBodyGuard)
  @ApiOperation({
    operationId: 'rotateWebhookSecret',
    summary: 'Replace the secret of an endpoint',
    description:
      'X-Svc-Signature is made with the new secret from the next attempt on. With Standard Webhooks headers, webhook-signature holds a signature of each of the two for 24 hours.',
  })
  @ApiId('id', 'Endpoint id.')
  @ApiOkResponse({
    type: WebhookEndpointWithSecret,
    description: 'Replaced; the only answer with the new secret.',
  })
  @ApiErrors('VALIDATION_FAILED', NOT_FOUND)
  async rotateSecret(
    @CurrentCaller() caller: Caller,
    @IdParam('id', NOT_FOUND) endpointId: string,
  ): Promise<WebhookEndpointWithSecret> {
    return (await this.rpc.request(RotateEndpointSecret, { ...by(caller), endpointId })).endpoint;
  }

  @Post('pause')
  @HttpCode(200)
  @NeedsScope('webhooks:manage')
  @ApiOperation({
    operationId: 'pauseWebhook',
    summary: 'Hold the deliveries of an endpoint',
    description:
      'One that is paused already stays as it is. A pause ends by a reactivation, or by another `url`.',
  })
  @ApiId('id', 'Endpoint id.')
  @ApiBody({ type: EndpointReasonBody, required: false })
  @ApiOkResponse({ type: WebhookEndpoint, description: 'The endpoint, paused.' })
  @ApiErrors('VALIDATION_FAILED', NOT_FOUND, 'SESSION_STATE_CONFLICT')
  async pause(
    @CurrentCaller() caller: Caller,
    @IdParam('id', NOT_FOUND) endpointId: string,
    @Body() body: EndpointReasonBody,
  ): Promise<WebhookEndpoint> {
    const request = { ...withoutNulls(body), ...by(caller), endpointId };
    return (await this.rpc.request(PauseEndpoint, request)).endpoint;
  }

  @Post('reactivate')
  @HttpCode(200)
  @NeedsScope('webhooks:manage')
  @ApiOperation({
    operationId: 'reactivateWebhook',
    summary: 'Let the deliveries of a paused endpoint go out, oldest first',
    description: 'One that is active already stays as it is.',
  })
  @ApiId('id', 'Endpoint id.')
  @ApiBody({ type: EndpointReasonBody, required: false })
  @ApiOkResponse({ type: WebhookEndpoint, description: 'The endpoint, active.' })
  @ApiErrors('VALIDATION_FAILED', NOT_FOUND, 'SESSION_STATE_CONFLICT')
  async reactivate(
    @CurrentCaller() caller: Caller,
    @IdParam('id', NOT_FOUND) endpointId: string,
    @Body() body: EndpointReasonBody,
  ): Promise<WebhookEndpoint> {
    const request = { ...withoutNulls(body), ...by(caller), endpointId };
    return (await this.rpc.request(ReactivateEndpoint, request)).endpoint;
  }

  @Post('test')
  @HttpCode(200)
  @NeedsScope('webhooks:manage')
  @UseGuards(NoBodyGuard)
  @ApiOperation({
    operationId: 'testWebhook',
    summary: 'Post a test event to an endpoint now',
    description:
      'A signed delivery of the event `webhook.test` with `test: true` in its payload, posted once, also to a paused endpoint. It counts for nothing: no retry, no pause, no health. One at a time per endpoint.',
  })
  @ApiId('id', 'Endpoint id.')
  @ApiOkResponse({ type: WebhookTestResult, description: 'What came back.' })
  @ApiErrors('VALIDATION_FAILED', NOT_FOUND, 'ENDPOINT_CONFLICT')
  async test(
    @CurrentCaller() { tenantId }: Caller,
    @IdParam('id', NOT_FOUND) endpointId: string,
  ): Promise<WebhookTestResult> {
    return (await this.rpc.request(TestEndpoint, { tenantId, endpointId }, TEST_TIMEOUT_MS)).result;
  }

  @Get('health')
  @NeedsScope('webhooks:manage')
  @ApiOperation({
    operationId: 'getWebhookHealth',
    summary: 'Read how the deliveries of an endpoint fare',
    description: 'Counts are exact up to 10,000; beyond, `more` says that there are more.',
  })
  @ApiId('id', 'Endpoint id.')
  @ApiOkResponse({ type: WebhookHealth, description: 'Its health now.' })
  @ApiErrors(NOT_FOUND)
  async health(
    @CurrentCaller() { tenantId }: Caller,
    @IdParam('id', NOT_FOUND) endpointId: string,
  ): Promise<WebhookHealth> {
    return (await this.rpc.request(GetEndpointHealth, { tenantId, endpointId })).health;
  }
}

/** Names the tenant and the caller for the audit log: the dispatcher, which owns endpoints, writes the line with the change. */
function by(caller: Caller): { tenantId: string; actor: string } {
  return { tenantId: caller.tenantId, actor: actorOf(caller) };
}
