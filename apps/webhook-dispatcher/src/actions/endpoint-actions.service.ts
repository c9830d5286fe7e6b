import { Injectable } from '@nestjs/common';
import {
  AppError,
  type ChangeEndpointStateV1,
  type EndpointRef,
  type RotateEndpointSecretV1,
  type WebhookEndpoint,
  type WebhookEndpointWithSecret,
} from '@svc/contracts';
import type { AuditLine } from '../endpoints/endpoint-audit.js';
import type { Endpoint } from '../endpoints/endpoint.entity.js';
import { EndpointRepository } from '../endpoints/endpoint.repository.js';
import { EndpointSecrets } from '../endpoints/endpoint-secrets.js';
import { toView } from '../endpoints/endpoint-view.js';
import { EndpointsService } from '../endpoints/endpoints.service.js';

/** This service carries out the actions of a tenant on an endpoint besides changes of its fields; each has an entry in the audit log. */
@Injectable()
export class EndpointActionsService {
  constructor(
    private readonly endpoints: EndpointsService,
    private readonly rows: EndpointRepository,
    private readonly secrets: EndpointSecrets,
  ) {}

  /** Makes a new secret, which signs every attempt from here on; it is shown in this answer only. */
  async rotateSecret({ actor, ...ref }: RotateEndpointSecretV1): Promise<WebhookEndpointWithSecret> {
    let secret = '';
    const endpoint = await this.change(ref, actor, (row, now) => {
      secret = this.secrets.rotate(row, now);
      return [{ action: 'webhook_secret.rotated', target: row.id, details: {} }];
    });
    return { ...toView(endpoint), secret };
  }

  pause(request: ChangeEndpointStateV1): Promise<WebhookEndpoint> {
    return this.changeState('PAUSED', request);
  }

  reactivate(request: ChangeEndpointStateV1): Promise<WebhookEndpoint> {
    return this.changeState('ACTIVE', request);
  }

  /** Pauses or reactivates an endpoint. Where it is so already, nothing changes: the first reason stands. */
  private async changeState(
    state: 'PAUSED' | 'ACTIVE',
    { actor, reason, ...ref }: ChangeEndpointStateV1,
  ): Promise<WebhookEndpoint> {
    const action = state === 'PAUSED' ? 'webhook.paused' : 'webhook.reactivated';
    const endpoint = await this.change(ref, actor, (row) => {
      if (row.state === 'DISABLED') throw isDisabled(row);
      if (row.state === state) return [];
      row.state = state;
      row.stateChange = { actor, reason };
      return [{ action, target: row.id, reason, details: {} }];
    });
    return toView(endpoint);
  }

  private async change(
    { tenantId, endpointId }: EndpointRef,
    actor: string | undefined,
    change: (endpoint: Endpoint, now: Date) => AuditLine[],
  ): Promise<Endpoint> {
    await this.endpoints.getRow(tenantId, endpointId);
    const changed = await this.rows.change({ id: endpointId, tenantId }, actor, change);
    if (!changed) throw new AppError('ENDPOINT_NOT_FOUND', undefined, { endpointId });
    return changed;
  }
}

function isDisabled({ id, sessionId }: Endpoint): AppError {
  return new AppError(
    'SESSION_STATE_CONFLICT',
    'The session of this endpoint is not in external mode: enable it with PUT /v1/sessions/:id/external-config.',
    { endpointId: id, sessionId },
  );
}
