import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { AddressGuard } from '@svc/outbound-http';
import {
  AppError,
  type CreateEndpointV1,
  type DeleteEndpointV1,
  type EndpointRef,
  type ListEndpointsV1,
  quotaConflict,
  type TenantRef,
  type UpdateEndpointV1,
  type WebhookEndpoint,
  type WebhookEndpointWithSecret,
} from '@svc/contracts';
import { type EntityManager, IsNull, LessThan, Repository } from 'typeorm';
import { checkBoundFilter } from '../filters/bound-filter.js';
import { DEFAULT_ASPECTS, heardAfter } from '../filters/hears.js';
import { checkReceiverUrl } from './receiver-url.js';
import type { AuditLine } from './endpoint-audit.js';
import { Endpoint } from './endpoint.entity.js';
import { EndpointRepository } from './endpoint.repository.js';
import { EndpointSecrets } from './endpoint-secrets.js';
import { toView } from './endpoint-view.js';

/** This service creates, reads, changes and deletes a tenant's endpoints. */
@Injectable()
export class EndpointsService {
  constructor(
    @InjectRepository(Endpoint) private readonly endpoints: Repository<Endpoint>,
    private readonly rows: EndpointRepository,
    private readonly secrets: EndpointSecrets,
    private readonly guard: AddressGuard,
  ) {}

  /** @throws AppError `VALIDATION_FAILED`, `QUOTA_CONFLICT` */
  async create({ actor, most, hears, ...fields }: CreateEndpointV1): Promise<WebhookEndpointWithSecret> {
    await checkReceiverUrl(this.guard, fields.url, 'url');
    const order = {
      ...fields,
      events: fields.events ?? [],
      hears: heardAfter(DEFAULT_ASPECTS, hears),
      sessionId: null,
    };
    const { endpoint, secret } = await this.rows.create(order, actor, async (tx) => {
      if (most !== undefined) await assertRoom(tx, fields.tenantId, most);
    });
    return { ...(await this.rows.viewOf(endpoint)), secret };
  }

  count({ tenantId }: TenantRef): Promise<number> {
    return this.endpoints.countBy(tenantWide(tenantId));
  }

  async get({ tenantId, endpointId }: EndpointRef): Promise<WebhookEndpoint> {
    return this.rows.viewOf(await this.getRow(tenantId, endpointId));
  }

  async list({ tenantId, limit, before }: ListEndpointsV1): Promise<WebhookEndpoint[]> {
    // Ids grow with time (UUIDv7), so they are the order and the cursor.
    const where = { tenantId, ...(before ? { id: LessThan(before) } : {}) };
    const rows = await this.endpoints.find({ where, order: { id: 'DESC' }, take: limit });
    return rows.map(toView);
  }

  async update(request: UpdateEndpointV1): Promise<WebhookEndpoint> {
    const { tenantId, endpointId, headers, hears, actor, ...change } = request;
    const { url, events } = change;
    const current = await this.getRow(tenantId, endpointId);
    if (url != null && url !== current.url) await checkReceiverUrl(this.guard, url, 'url');
    const apply = (endpoint: Endpoint): AuditLine[] => {
      if (events && endpoint.sessionId !== null) checkBoundFilter(events);
      const fields = Object.entries(change).filter(([, value]) => value != null);
      Object.assign(endpoint, Object.fromEntries(fields));
      endpoint.hears = heardAfter(endpoint.hears, hears);
      if (headers) endpoint.headers = this.secrets.sealHeaders(headers, endpoint, endpoint.headers);
      return [];
    };
    const changed = await this.rows.change({ id: endpointId, tenantId }, actor, apply);
    if (!changed) throw notFound(endpointId);
    return this.rows.viewOf(changed);
  }

  /** @throws AppError `SESSION_STATE_CONFLICT` for the endpoint of a session in external mode: nobody would answer it. */
  async delete({ tenantId, endpointId, actor }: DeleteEndpointV1): Promise<WebhookEndpoint> {
    const endpoint = await this.getRow(tenantId, endpointId);
    const isBound = endpoint.sessionId !== null;
    const isDeleted = await this.rows.delete(endpoint, actor, isBound ? { state: 'DISABLED' } : {});
    if (isBound && !isDeleted) throw answersSession(endpoint);
    return toView(endpoint);
  }

  /** Reads the row of an endpoint. @throws AppError `ENDPOINT_NOT_FOUND`, or `FORBIDDEN` for another tenant's. */
  async getRow(tenantId: string, endpointId: string): Promise<Endpoint> {
    const endpoint = await this.endpoints.findOneBy({ id: endpointId });
    if (!endpoint) throw notFound(endpointId);
    if (endpoint.tenantId !== tenantId) throw new AppError('FORBIDDEN');
    return endpoint;
  }
}

/** Names the advisory locks of creation, one per tenant: the last place is not given away twice. */
const CREATION_LOCK = 0x5c_31;

/** Those that are bound to sessions are as many as those, and sessions have a bound of their own. */
const tenantWide = (tenantId: string) => ({ tenantId, sessionId: IsNull() });

/** @throws AppError `QUOTA_CONFLICT` where the tenant has `most` tenant-wide endpoints already. */
async function assertRoom(tx: EntityManager, tenantId: string, most: number): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [CREATION_LOCK, tenantId]);
  const used = await tx.countBy(Endpoint, tenantWide(tenantId));
  if (used >= most) throw quotaConflict('endpoints', most, used);
}

function answersSession({ id, sessionId }: Endpoint): AppError {
  return new AppError(
    'SESSION_STATE_CONFLICT',
    'This endpoint answers a session in external mode: take the session back first, with PUT /v1/sessions/:id/external-config and enabled false.',
    { endpointId: id, sessionId },
  );
}

function notFound(endpointId: string): AppError {
  return new AppError('ENDPOINT_NOT_FOUND', undefined, { endpointId });
}
