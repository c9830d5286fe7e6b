import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  AppError,
  type ChangeEndpointStateV1,
  type EndpointRef,
  type EndpointStateReply,
  type WebhookEndpointWithSecret,
} from '@svc/contracts';
import { EndpointChanges } from '../ownership/endpoint-changes.js';
import type { Endpoint } from './endpoint.entity.js';
import { EndpointRepository } from './endpoint.repository.js';
import { EndpointSecrets } from './endpoint-secrets.js';
import { toView } from './endpoint-view.js';
import { EndpointsService } from './endpoints.service.js';

/** This service does what a tenant does with an endpoint besides changing its fields. */
@Injectable()
export class EndpointActionsService {
  constructor(
    private readonly endpoints: EndpointsService,
    private readonly rows: EndpointRepository,
    private readonly secrets: EndpointSecrets,
    private readonly changes: EndpointChanges,
  ) {}

  /** Makes a new secret, which signs every attempt from here on; it is shown in this answer only. */
  async rotateSecret(ref: EndpointRef): Promise<WebhookEndpointWithSecret> {
    let secret = '';
    const endpoint = await this.change(ref, (row, now) => {
      secret = this.secrets.rotate(row, now);
    });
    return { ...toView(endpoint), secret };
  }

  pause(request: ChangeEndpointStateV1): Promise<EndpointStateReply> {
    return this.changeState('PAUSED', request);
  }

  reactivate(request: ChangeEndpointStateV1): Promise<EndpointStateReply> {
    return this.changeState('ACTIVE', request);
  }

  /** Pauses or reactivates an endpoint. Where it is so already, nothing changes: the first reason stands. */
  private async changeState(
    state: 'PAUSED' | 'ACTIVE',
    { actor, reason, ...ref }: ChangeEndpointStateV1,
  ): Promise<EndpointStateReply> {
    const endpoint = await this.change(ref, (row, now) => {
      if (row.state === 'DISABLED') throw isDisabled(row);
      if (row.state === state) return;
      row.state = state;
      row.stateChange = { id: randomUUID(), state, actor, reason, at: now.toISOString() };
    });
    const { stateChange, pausedReason } = endpoint;
    const byItself = state === 'PAUSED' && pausedReason !== 'REQUESTED';
    return {
      endpoint: toView(endpoint),
      change: stateChange?.state === state && !byItself ? stateChange : null,
    };
  }

  private async change(
    { tenantId, endpointId }: EndpointRef,
    change: (endpoint: Endpoint, now: Date) => void,
  ): Promise<Endpoint> {
    await this.endpoints.getRow(tenantId, endpointId);
    const changed = await this.rows.change({ id: endpointId, tenantId }, change);
    if (!changed) throw new AppError('ENDPOINT_NOT_FOUND', undefined, { endpointId });
    await this.changes.announce({ tenantId, endpointId });
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
