import { Injectable } from '@nestjs/common';
import { AddressGuard } from '@svc/outbound-http';
import {
  type BoundEndpointRef,
  invalidField,
  type PutBoundEndpointV1,
  type WebhookEndpointWithSecret,
} from '@svc/contracts';
import { checkReceiverUrl } from './receiver-url.js';
import { EndpointChanges } from '../ownership/endpoint-changes.js';
import type { Endpoint } from './endpoint.entity.js';
import { EndpointRepository } from './endpoint.repository.js';
import { EndpointSecrets } from './endpoint-secrets.js';
import { toView } from './endpoint-view.js';

const URL_FIELD = 'webhookUrl';
const NAME = 'External bot';

/** This service has the one endpoint that external mode binds to a session: made once, then switched off and on again. */
@Injectable()
export class BoundEndpointsService {
  constructor(
    private readonly rows: EndpointRepository,
    private readonly secrets: EndpointSecrets,
    private readonly guard: AddressGuard,
    private readonly changes: EndpointChanges,
  ) {}

  async get({ tenantId, sessionId }: BoundEndpointRef): Promise<WebhookEndpointWithSecret | null> {
    const endpoint = await this.rows.find({ tenantId, sessionId });
    return endpoint && this.withSecret(endpoint);
  }

  async put(request: PutBoundEndpointV1): Promise<WebhookEndpointWithSecret | null> {
    const { tenantId, sessionId, enabled, url } = request;
    const existing = await this.rows.find({ tenantId, sessionId });
    if (!existing && !enabled) return null;
    if (url != null && url !== existing?.url) await checkReceiverUrl(this.guard, url, URL_FIELD);
    if (!existing) await this.create(request);
    const apply = (row: Endpoint, now: Date): void => this.apply(request, row, now);
    const endpoint = await this.rows.change({ tenantId, sessionId }, apply, request.actor);
    if (!endpoint) return null;
    await this.changes.announce({ tenantId, endpointId: endpoint.id });
    return this.withSecret(endpoint);
  }

  private async create({ tenantId, sessionId, url, actor }: PutBoundEndpointV1): Promise<void> {
    if (url == null) {
      throw invalidField(URL_FIELD, `${URL_FIELD} is required: none is given and none is stored`);
    }
    await this.rows.create({ tenantId, sessionId, name: NAME, url, events: [] }, actor);
  }

  private apply({ enabled, url, rotateSecret }: PutBoundEndpointV1, row: Endpoint, now: Date): void {
    if (url) row.url = url;
    if (rotateSecret) this.secrets.rotate(row, now);
    // Enabling does not lift a pause: that is for a person who has seen why.
    if (!enabled) row.state = 'DISABLED';
    else if (row.state === 'DISABLED') row.state = 'ACTIVE';
  }

  private withSecret(endpoint: Endpoint): WebhookEndpointWithSecret {
    return { ...toView(endpoint), secret: this.secrets.open(endpoint) };
  }
}
