import { randomBytes, randomUUID } from 'node:crypto';
import {
  AppError,
  CreateEndpoint,
  DeleteBoundEndpoint,
  DeleteEndpoint,
  type EndpointRef,
  GetBoundEndpoint,
  GetEndpoint,
  ListDeliveries,
  ListEndpoints,
  PutBoundEndpoint,
  type PutBoundEndpointV1,
  type RequestContract,
  UpdateEndpoint,
  type WebhookEndpointWithSecret,
} from '@svc/contracts';

type On = <Q extends object, A extends object>(
  contract: RequestContract<Q, A>,
  reply: (request: Q) => A,
) => void;

interface OwnedEndpoint {
  tenantId: string;
  endpoint: WebhookEndpointWithSecret;
}

/** `webhook-dispatcher`, as far as the gateway can tell. */
export class FakeDispatcher {
  readonly endpoints = new Map<string, OwnedEndpoint>();

  answer(on: On): void {
    on(CreateEndpoint, ({ tenantId, name, url, events }) => ({
      endpoint: this.add(tenantId, { name, url: checked(url), events }),
    }));
    on(GetEndpoint, (ref) => ({ endpoint: this.owned(ref) }));
    on(ListEndpoints, ({ tenantId, limit, before }) => {
      const own = [...this.endpoints.values()].filter((one) => one.tenantId === tenantId).reverse();
      const from = before ? own.findIndex(({ endpoint }) => endpoint.id === before) + 1 : 0;
      return { endpoints: own.slice(from, from + limit).map(({ endpoint }) => endpoint) };
    });
    on(UpdateEndpoint, ({ tenantId, endpointId, ...change }) => {
      const endpoint = this.owned({ tenantId, endpointId });
      if (change.events && change.events.length > 0) assertTenantWide(endpoint);
      return { endpoint: Object.assign(endpoint, JSON.parse(JSON.stringify(change)) as object) };
    });
    on(DeleteEndpoint, (ref) => {
      const endpoint = this.owned(ref);
      assertTenantWide(endpoint);
      this.endpoints.delete(endpoint.id);
      return { endpoint };
    });
    on(ListDeliveries, (ref) => {
      this.owned(ref);
      return { deliveries: [] };
    });
    on(GetBoundEndpoint, ({ tenantId, sessionId }) => ({
      endpoint: this.bound(tenantId, sessionId) ?? null,
    }));
    on(PutBoundEndpoint, (request) => ({ endpoint: this.putBound(request) }));
    on(DeleteBoundEndpoint, ({ tenantId, sessionId }) => {
      const endpoint = this.bound(tenantId, sessionId);
      if (endpoint) this.endpoints.delete(endpoint.id);
      return { endpoint: null };
    });
  }

  private putBound({
    tenantId,
    sessionId,
    enabled,
    url,
    rotateSecret,
  }: PutBoundEndpointV1): WebhookEndpointWithSecret | null {
    let endpoint = this.bound(tenantId, sessionId);
    if (!endpoint && !enabled) return null;
    endpoint ??= this.add(tenantId, { name: 'External bot', url: checked(url ?? ''), events: [], sessionId });
    if (url) endpoint.url = checked(url);
    if (rotateSecret) endpoint.secret = newSecret();
    endpoint.status = enabled ? 'ACTIVE' : 'DISABLED';
    return endpoint;
  }

  private add(tenantId: string, fields: Partial<WebhookEndpointWithSecret>): WebhookEndpointWithSecret {
    const endpoint: WebhookEndpointWithSecret = {
      ...{
        id: randomUUID(),
        name: '',
        url: '',
        events: [],
        status: 'ACTIVE',
        pausedReason: null,
        pausedAt: null,
      },
      ...{ sessionId: null, createdAt: new Date().toISOString(), secret: newSecret(), ...fields },
    };
    this.endpoints.set(endpoint.id, { tenantId, endpoint });
    return endpoint;
  }

  private bound(tenantId: string, sessionId: string): WebhookEndpointWithSecret | undefined {
    const owned = [...this.endpoints.values()].find(({ endpoint }) => endpoint.sessionId === sessionId);
    if (owned && owned.tenantId !== tenantId) throw new AppError('FORBIDDEN');
    return owned?.endpoint;
  }

  private owned({ tenantId, endpointId }: EndpointRef): WebhookEndpointWithSecret {
    const owned = this.endpoints.get(endpointId);
    if (!owned) throw new AppError('ENDPOINT_NOT_FOUND');
    if (owned.tenantId !== tenantId) throw new AppError('FORBIDDEN');
    return owned.endpoint;
  }
}

function assertTenantWide({ sessionId }: WebhookEndpointWithSecret): void {
  if (sessionId !== null) throw new AppError('SESSION_STATE_CONFLICT');
}

function checked(url: string): string {
  if (url.startsWith('https://')) return url;
  throw new AppError('VALIDATION_FAILED', 'url must be https', {
    fields: [{ field: 'url', rule: 'url must be https' }],
  });
}

function newSecret(): string {
  return `whsec_${randomBytes(24).toString('base64url')}`;
}
