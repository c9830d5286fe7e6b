import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { AddressGuard } from '@svc/addresses';
import {
  AppError,
  type BoundEndpointRef,
  type CreateEndpointV1,
  type EndpointRef,
  type ListEndpointsV1,
  type UpdateEndpointV1,
  type WebhookEndpoint,
  type WebhookEndpointWithSecret,
} from '@svc/contracts';
import { LessThan, Repository } from 'typeorm';
import { checkReceiverUrl } from './receiver-url.js';
import { EndpointChanges } from './endpoint-changes.js';
import { Endpoint } from './endpoint.entity.js';
import { EndpointFactory } from './endpoint-factory.js';
import { EndpointRepository } from './endpoint.repository.js';
import { EndpointSecrets } from './endpoint-secrets.js';
import { toView } from './endpoint-view.js';

/** A tenant's endpoints. */
@Injectable()
export class EndpointsService {
  constructor(
    @InjectRepository(Endpoint) private readonly endpoints: Repository<Endpoint>,
    private readonly rows: EndpointRepository,
    private readonly factory: EndpointFactory,
    private readonly secrets: EndpointSecrets,
    private readonly guard: AddressGuard,
    private readonly changes: EndpointChanges,
  ) {}

  async create(request: CreateEndpointV1): Promise<WebhookEndpointWithSecret> {
    const { tenantId, url } = request;
    await checkReceiverUrl(this.guard, url, 'url');
    const { endpoint, secret } = await this.factory.create({ ...request, sessionId: null });
    await this.changes.announce({ tenantId, endpointId: endpoint.id });
    return { ...toView(endpoint), secret };
  }

  async get({ tenantId, endpointId }: EndpointRef): Promise<WebhookEndpoint> {
    return toView(await this.mine(tenantId, endpointId));
  }

  async list({ tenantId, limit, before }: ListEndpointsV1): Promise<WebhookEndpoint[]> {
    // Ids grow with time (UUIDv7), so they are the order and the cursor.
    const where = { tenantId, ...(before ? { id: LessThan(before) } : {}) };
    const rows = await this.endpoints.find({ where, order: { id: 'DESC' }, take: limit });
    return rows.map(toView);
  }

  async update({ tenantId, endpointId, headers, ...change }: UpdateEndpointV1): Promise<WebhookEndpoint> {
    const { url, events } = change;
    const current = await this.mine(tenantId, endpointId);
    if (url != null && url !== current.url) await checkReceiverUrl(this.guard, url, 'url');
    const changed = await this.rows.change({ id: endpointId, tenantId }, (endpoint) => {
      // Every event of its session, or the session is in external mode without anybody who answers.
      if (events && events.length > 0) assertTenantWide(endpoint);
      const given = Object.entries(change).filter(([, value]) => value != null);
      Object.assign(endpoint, Object.fromEntries(given));
      if (headers) endpoint.headers = this.secrets.sealHeaders(headers, endpoint, endpoint.headers);
    });
    if (!changed) throw notFound(endpointId);
    await this.changes.announce({ tenantId, endpointId });
    return toView(changed);
  }

  /** @throws AppError `SESSION_STATE_CONFLICT` for a bound endpoint: its session would be left without a receiver. */
  async delete({ tenantId, endpointId }: EndpointRef): Promise<WebhookEndpoint> {
    const endpoint = await this.mine(tenantId, endpointId);
    assertTenantWide(endpoint);
    await this.remove(endpoint);
    return toView(endpoint);
  }

  /** The session is deleted, and its endpoint goes with it. Without effect where there is none. */
  async deleteBound({ tenantId, sessionId }: BoundEndpointRef): Promise<void> {
    const endpoint = await this.rows.find({ tenantId, sessionId });
    if (endpoint) await this.remove(endpoint);
  }

  /** @throws AppError `ENDPOINT_NOT_FOUND`, or `FORBIDDEN` for another tenant's. */
  async mine(tenantId: string, endpointId: string): Promise<Endpoint> {
    const endpoint = await this.endpoints.findOneBy({ id: endpointId });
    if (!endpoint) throw notFound(endpointId);
    if (endpoint.tenantId !== tenantId) throw new AppError('FORBIDDEN');
    return endpoint;
  }

  /** The endpoint first: whatever still comes in for it afterwards is found to be nobody's. */
  private async remove({ id, tenantId }: Endpoint): Promise<void> {
    await this.endpoints.delete({ id, tenantId });
    await this.changes.announce({ tenantId, endpointId: id });
    await this.endpoints.query('DELETE FROM webhook_delivery WHERE endpoint_id = $1', [id]);
  }
}

function assertTenantWide({ id, sessionId }: Endpoint): void {
  if (sessionId === null) return;
  throw new AppError(
    'SESSION_STATE_CONFLICT',
    'This endpoint belongs to the external mode of a session: use PUT /v1/sessions/:id/external-config.',
    { endpointId: id, sessionId },
  );
}

function notFound(endpointId: string): AppError {
  return new AppError('ENDPOINT_NOT_FOUND', undefined, { endpointId });
}
