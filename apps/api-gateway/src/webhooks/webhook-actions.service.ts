import { Injectable } from '@nestjs/common';
import {
  type EndpointStateReply,
  PauseEndpoint,
  ReactivateEndpoint,
  RotateEndpointSecret,
  type WebhookEndpoint,
  type WebhookEndpointWithSecret,
} from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import { AuditService } from '../audit/audit.service.js';
import { actorOf, type Caller } from '../auth/caller.js';

/** This class does what a tenant does with an endpoint besides changing its fields; what matters later leaves a line in the audit log. */
@Injectable()
export class WebhookActionsService {
  constructor(
    private readonly rpc: RpcClient,
    private readonly audit: AuditService,
  ) {}

  /** The trace is there before the secret is shown. */
  async rotateSecret(caller: Caller, endpointId: string): Promise<WebhookEndpointWithSecret> {
    const { tenantId } = caller;
    const { endpoint } = await this.rpc.request(RotateEndpointSecret, { tenantId, endpointId });
    const action = 'webhook_secret.rotated';
    await this.audit.write({ tenantId, actor: actorOf(caller), action, target: endpointId });
    return endpoint;
  }

  async pause(caller: Caller, endpointId: string, reason: string): Promise<WebhookEndpoint> {
    const request = { tenantId: caller.tenantId, endpointId, reason, actor: actorOf(caller) };
    return this.traced(caller, 'webhook.paused', await this.rpc.request(PauseEndpoint, request));
  }

  async reactivate(caller: Caller, endpointId: string, reason: string): Promise<WebhookEndpoint> {
    const request = { tenantId: caller.tenantId, endpointId, reason, actor: actorOf(caller) };
    return this.traced(caller, 'webhook.reactivated', await this.rpc.request(ReactivateEndpoint, request));
  }

  /** The change has an id, so a repeat of a call that was cut off writes the trace that is missing, and none twice. */
  private async traced(
    { tenantId }: Caller,
    action: string,
    { endpoint, change }: EndpointStateReply,
  ): Promise<WebhookEndpoint> {
    if (change) {
      const { id, actor, reason, at } = change;
      await this.audit.write({ id, tenantId, at: new Date(at), actor, action, target: endpoint.id, reason });
    }
    return endpoint;
  }
}
