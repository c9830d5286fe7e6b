import { Body, Controller, Get, HttpCode, Post, Query, UseGuards } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  CancelReplay,
  DeadLettersQuery,
  DeliveriesQuery,
  DELIVERY_STATUSES,
  type DeliveryStatus,
  DeliveryView,
  GetDelivery,
  GetReplay,
  ListDeliveries,
  type Page,
  Replay,
  ReplayBody,
  ReplayDelivery,
  ReplayStart,
  StartReplay,
} from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import { type Caller, CurrentCaller, NeedsScope } from '../auth/authorization.js';
import { NoBodyGuard } from '../edge/no-body.guard.js';
import { IdParam } from '../edge/resource-id.js';
import { withoutNulls } from '../edge/without-nulls.js';
import { ApiErrors, ApiId, ApiPage } from '../openapi/answers.js';
import { Cursors, DEFAULT_LIMIT } from '../paging/cursor.js';
import { assertMayReplay, mayReplayAll } from './replay-scope.js';

const NO_ENDPOINT = 'ENDPOINT_NOT_FOUND';
const NO_DELIVERY = 'DELIVERY_NOT_FOUND';
/** Counting many deliveries takes its time. */
const REPLAY_TIMEOUT_MS = 15_000;

/** Deliveries of an endpoint under `/v1/webhooks/:id`, one by itself under `/v1/deliveries`, replays; all of them asked of `webhook-dispatcher`. */
@ApiTags('deliveries')
@Controller('v1')
export class DeliveriesController {
  constructor(
    private readonly rpc: RpcClient,
    private readonly cursors: Cursors,
  ) {}

  @Get('webhooks/:id/deliveries')
  @NeedsScope('webhooks:manage')
  @ApiOperation({
    operationId: 'listDeliveries',
    summary: 'List deliveries of an endpoint, newest event first',
  })
  @ApiId('id', 'Endpoint id.')
  @ApiPage(DeliveryView)
  @ApiErrors('VALIDATION_FAILED', NO_ENDPOINT)
  list(
    @CurrentCaller() { tenantId }: Caller,
    @IdParam('id', NO_ENDPOINT) endpointId: string,
    @Query() { status, ...query }: DeliveriesQuery,
  ): Promise<Page<DeliveryView>> {
    return this.page(tenantId, endpointId, status ? [status] : DELIVERY_STATUSES, query);
  }

  @Get('webhooks/:id/dead-letters')
  @NeedsScope('webhooks:manage')
  @ApiOperation({
    operationId: 'listDeadLetters',
    summary: 'List deliveries that were given up, newest event first',
  })
  @ApiId('id', 'Endpoint id.')
  @ApiPage(DeliveryView)
  @ApiErrors('VALIDATION_FAILED', NO_ENDPOINT)
  deadLetters(
    @CurrentCaller() { tenantId }: Caller,
    @IdParam('id', NO_ENDPOINT) endpointId: string,
    @Query() query: DeadLettersQuery,
  ): Promise<Page<DeliveryView>> {
    return this.page(tenantId, endpointId, ['DEAD'], query);
  }

  @Get('deliveries/:id')
  @NeedsScope('webhooks:manage')
  @ApiOperation({
    operationId: 'getDelivery',
    summary: 'Read one delivery, its attempts with the heads of the answers',
  })
  @ApiId('id', 'Delivery id.')
  @ApiOkResponse({ type: DeliveryView, description: 'The delivery.' })
  @ApiErrors(NO_DELIVERY)
  async get(
    @CurrentCaller() { tenantId }: Caller,
    @IdParam('id', NO_DELIVERY) deliveryId: string,
  ): Promise<DeliveryView> {
    return (await this.rpc.request(GetDelivery, { tenantId, deliveryId })).delivery;
  }

  @Post('deliveries/:id/replay')
  @HttpCode(202)
  @NeedsScope('webhooks:manage')
  @UseGuards(NoBodyGuard)
  @ApiOperation({
    operationId: 'replayDelivery',
    summary: 'Send one finished delivery again',
    description:
      'One more attempt with the same delivery id and body, signed anew. The schedule does not begin again: should it fail, a dead letter is one again, and what was delivered before stays delivered. While the endpoint is paused it is held. It goes out also where the endpoint does not hear such events any more. A delivery may have 100 attempts; beyond them the answer is 409 `QUOTA_CONFLICT`. That of a `message.…` event needs `messages:read` as well.',
  })
  @ApiId('id', 'Delivery id.')
  @ApiAcceptedResponse({ type: DeliveryView, description: 'On its way.' })
  @ApiErrors('VALIDATION_FAILED', NO_DELIVERY, NO_ENDPOINT, 'DELIVERY_STATE_CONFLICT', 'QUOTA_CONFLICT')
  async replayOne(
    @CurrentCaller() caller: Caller,
    @IdParam('id', NO_DELIVERY) deliveryId: string,
  ): Promise<DeliveryView> {
    const ref = { tenantId: caller.tenantId, deliveryId };
    if (!mayReplayAll(caller)) {
      assertMayReplay(caller, (await this.rpc.request(GetDelivery, ref)).delivery.event);
    }
    return (await this.rpc.request(ReplayDelivery, ref)).delivery;
  }

  @Post('webhooks/:id/replay')
  @HttpCode(202)
  @NeedsScope('webhooks:manage')
  @ApiOperation({
    operationId: 'startReplay',
    summary: 'Send finished deliveries of an endpoint again',
    description:
      'All that the filters match, oldest event first, one attempt each, beside live traffic: `status: DEAD` replays the dead letters. `dryRun` only counts them. One replay of an endpoint runs at a time; it goes on by itself whatever is restarted, and replays each delivery once. What the endpoint does not hear any more (`events`, `hears`) is left out, and so is what has had 100 attempts. It needs `messages:read` as well, but where `event` names one that is no `message.…` event.',
  })
  @ApiId('id', 'Endpoint id.')
  @ApiAcceptedResponse({ type: ReplayStart, description: 'Begun, or only counted.' })
  @ApiErrors('VALIDATION_FAILED', NO_ENDPOINT, 'REPLAY_CONFLICT')
  startReplay(
    @CurrentCaller() caller: Caller,
    @IdParam('id', NO_ENDPOINT) endpointId: string,
    @Body() body: ReplayBody,
  ): Promise<ReplayStart> {
    const request = { ...withoutNulls(body), tenantId: caller.tenantId, endpointId };
    assertMayReplay(caller, request.event);
    return this.rpc.request(StartReplay, request, REPLAY_TIMEOUT_MS);
  }

  @Get('replays/:id')
  @NeedsScope('webhooks:manage')
  @ApiOperation({ operationId: 'getReplay', summary: 'Read how far a replay is' })
  @ApiId('id', 'Replay id.')
  @ApiOkResponse({ type: Replay, description: 'The replay.' })
  @ApiErrors('REPLAY_NOT_FOUND')
  async getReplay(
    @CurrentCaller() { tenantId }: Caller,
    @IdParam('id', 'REPLAY_NOT_FOUND') replayId: string,
  ): Promise<Replay> {
    return (await this.rpc.request(GetReplay, { tenantId, replayId })).replay;
  }

  @Post('replays/:id/cancel')
  @HttpCode(200)
  @NeedsScope('webhooks:manage')
  @UseGuards(NoBodyGuard)
  @ApiOperation({
    operationId: 'cancelReplay',
    summary: 'End a replay',
    description:
      'Nothing more of it is sent again; what is on its way has its attempt. One that has ended stays as it is.',
  })
  @ApiId('id', 'Replay id.')
  @ApiOkResponse({ type: Replay, description: 'The replay.' })
  @ApiErrors('VALIDATION_FAILED', 'REPLAY_NOT_FOUND')
  async cancelReplay(
    @CurrentCaller() { tenantId }: Caller,
    @IdParam('id', 'REPLAY_NOT_FOUND') replayId: string,
  ): Promise<Replay> {
    return (await this.rpc.request(CancelReplay, { tenantId, replayId })).replay;
  }

  private async page(
    tenantId: string,
    endpointId: string,
    statuses: readonly DeliveryStatus[],
    { limit = DEFAULT_LIMIT, before: cursor, event, since, until }: DeadLettersQuery,
  ): Promise<Page<DeliveryView>> {
    const list = `deliveries:${tenantId}:${endpointId}`;
    const before = this.cursors.decode(list, cursor);
    const { deliveries } = await this.rpc.request(ListDeliveries, {
      ...withoutNulls({ event, since, until, before }),
      ...{ tenantId, endpointId, statuses: [...statuses], limit: limit + 1 },
    });
    const page = this.cursors.page(list, deliveries, limit, ({ place, deliveryId }) => place ?? deliveryId);
    return { ...page, items: page.items.map(({ place: _, ...delivery }) => delivery) };
  }
}
