import { Body, Controller, Get, HttpCode, Post, UseGuards } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { OpenCheckout, OpenCheckoutBody, OpenPortal, ProviderPage, SubscriptionView } from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import { type Caller, CurrentCaller, NeedsScope } from '../auth/authorization.js';
import { NoBodyGuard } from '../edge/no-body.guard.js';
import { OnlyIn } from '../auth/environment.guard.js';
import { ApiErrors } from '../openapi/answers.js';
import { SubscriptionsService } from './subscriptions.service.js';

/** The provider is asked meanwhile, two to four times one after the other; its library tries each three times. */
const PROVIDER_LIMIT_MS = 70_000;

/** `/v1/subscription`: what a tenant pays for, and where. */
@ApiTags('subscription')
@Controller('v1/subscription')
export class SubscriptionController {
  constructor(
    private readonly subscriptions: SubscriptionsService,
    private readonly rpc: RpcClient,
  ) {}

  @Get()
  @NeedsScope('admin:*')
  @ApiOperation({ operationId: 'getSubscription', summary: 'Read plan and state of the subscription' })
  @ApiOkResponse({ type: SubscriptionView, description: 'The subscription.' })
  @ApiErrors('PAYMENT_REQUIRED')
  async get(@CurrentCaller() { tenantId }: Caller): Promise<SubscriptionView> {
    const state = await this.subscriptions.of(tenantId);
    const {
      tenantId: _,
      internal: __,
      tokenRefusal: ___,
      entitlements: ____,
      keeper = 'operator',
      ...view
    } = state;
    return { keeper, ...view };
  }

  @Post('checkout')
  @HttpCode(200)
  @NeedsScope('admin:*')
  @OnlyIn('LIVE')
  @ApiOperation({
    operationId: 'openCheckout',
    summary: 'Open a page of the payment provider where a plan is paid for',
    description:
      'The plan holds within seconds of the payment. A plan that is paid for already changes in the portal.',
  })
  @ApiOkResponse({ type: ProviderPage, description: 'The page: open it in a browser.' })
  @ApiErrors('VALIDATION_FAILED', 'SUBSCRIPTION_CONFLICT', 'LIVE_ONLY')
  checkout(@CurrentCaller() { tenantId }: Caller, @Body() { plan }: OpenCheckoutBody): Promise<ProviderPage> {
    return this.rpc.request(OpenCheckout, { tenantId, plan }, PROVIDER_LIMIT_MS);
  }

  @Post('portal')
  @HttpCode(200)
  @NeedsScope('admin:*')
  @OnlyIn('LIVE')
  @UseGuards(NoBodyGuard)
  @ApiOperation({
    operationId: 'openPortal',
    summary: 'Open a page of the payment provider for plan, card and invoices',
    description: 'A larger plan holds at once, a smaller one when the paid period ends.',
  })
  @ApiOkResponse({ type: ProviderPage, description: 'The page: open it in a browser.' })
  @ApiErrors('VALIDATION_FAILED', 'SUBSCRIPTION_CONFLICT', 'LIVE_ONLY')
  portal(@CurrentCaller() { tenantId }: Caller): Promise<ProviderPage> {
    return this.rpc.request(OpenPortal, { tenantId }, PROVIDER_LIMIT_MS);
  }
}
