import { Injectable } from '@nestjs/common';
import {
  CreateEndpoint,
  type CreateWebhookBody,
  DeleteEndpoint,
  GetEndpoint,
  ListEndpoints,
  type Page,
  type PageQuery,
  UpdateEndpoint,
  type UpdateWebhookBody,
  type WebhookEndpoint,
  type WebhookEndpointWithSecret,
} from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import { actorOf, type Caller } from '../auth/caller.js';
import { withoutNulls } from '../edge/without-nulls.js';
import { Cursors, DEFAULT_LIMIT } from '../paging/cursor.js';

/** Endpoints, as their owner `webhook-dispatcher` knows them; it tells the audit log who has changed one. */
@Injectable()
export class WebhooksService {
  constructor(
    private readonly rpc: RpcClient,
    private readonly cursors: Cursors,
  ) {}

  async create(caller: Caller, body: CreateWebhookBody): Promise<WebhookEndpointWithSecret> {
    return (await this.rpc.request(CreateEndpoint, { ...body, ...by(caller) })).endpoint;
  }

  async list(tenantId: string, { limit = DEFAULT_LIMIT, before }: PageQuery): Promise<Page<WebhookEndpoint>> {
    const list = `webhooks:${tenantId}`;
    const request = { tenantId, limit: limit + 1, ...this.after(list, before) };
    const { endpoints } = await this.rpc.request(ListEndpoints, request);
    return this.cursors.page(list, endpoints, limit, ({ id }) => id);
  }

  async get(tenantId: string, endpointId: string): Promise<WebhookEndpoint> {
    return (await this.rpc.request(GetEndpoint, { tenantId, endpointId })).endpoint;
  }

  async update(caller: Caller, endpointId: string, body: UpdateWebhookBody): Promise<WebhookEndpoint> {
    return (await this.rpc.request(UpdateEndpoint, { ...withoutNulls(body), ...by(caller), endpointId }))
      .endpoint;
  }

  async delete(caller: Caller, endpointId: string): Promise<void> {
    await this.rpc.request(DeleteEndpoint, { ...by(caller), endpointId });
  }

  private after(list: string, cursor: string | undefined): { before?: string } {
    const before = this.cursors.decode(list, cursor);
    return before ? { before } : {};
  }
}

function by(caller: Caller): { tenantId: string; actor: string } {
  return { tenantId: caller.tenantId, actor: actorOf(caller) };
}
