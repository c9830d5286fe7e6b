import { Injectable } from '@nestjs/common';
import {
  CancelReplay,
  type DeadLettersQuery,
  type DeliveryStatus,
  type DeliveryView,
  GetDelivery,
  GetReplay,
  ListDeliveries,
  type Page,
  type Replay,
  type ReplayBody,
  ReplayDelivery,
  type ReplayStart,
  StartReplay,
} from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import { withoutNulls } from '../edge/without-nulls.js';
import { Cursors, DEFAULT_LIMIT } from '../paging/cursor.js';

/** Counting many deliveries takes its time. */
const REPLAY_TIMEOUT_MS = 15_000;

/** What became of deliveries, and replays of them, as their owner `webhook-dispatcher` knows them. */
@Injectable()
export class DeliveriesService {
  constructor(
    private readonly rpc: RpcClient,
    private readonly cursors: Cursors,
  ) {}

  async list(
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

  async get(tenantId: string, deliveryId: string): Promise<DeliveryView> {
    return (await this.rpc.request(GetDelivery, { tenantId, deliveryId })).delivery;
  }

  async replayOne(tenantId: string, deliveryId: string): Promise<DeliveryView> {
    return (await this.rpc.request(ReplayDelivery, { tenantId, deliveryId })).delivery;
  }

  startReplay(tenantId: string, endpointId: string, body: ReplayBody): Promise<ReplayStart> {
    return this.rpc.request(StartReplay, { ...withoutNulls(body), tenantId, endpointId }, REPLAY_TIMEOUT_MS);
  }

  async cancelReplay(tenantId: string, replayId: string): Promise<Replay> {
    return (await this.rpc.request(CancelReplay, { tenantId, replayId })).replay;
  }

  async getReplay(tenantId: string, replayId: string): Promise<Replay> {
    return (await this.rpc.request(GetReplay, { tenantId, replayId })).replay;
  }
}
