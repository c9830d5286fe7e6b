import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  type AuditLogReply,
  type AuditVerdict,
  Envelope,
  GetAuditLog,
  SessionTierChanged,
  type SessionTierChangedV1,
  SubscriptionChanged,
  type SubscriptionChangedV1,
  TenantRef,
  VerifyAuditLog,
  VerifyAuditLogV1,
  WebhookChanged,
  type WebhookChangedV1,
} from '@svc/contracts';
import { OnEvent, OnRequest } from '@svc/messaging';
import { AuditVerifier } from './audit-verifier.js';
import { AuditService } from './audit.service.js';

/** What reaches the audit log from other services, and who may read it. */
@Controller()
export class AuditConsumer {
  constructor(
    private readonly audit: AuditService,
    private readonly verifier: AuditVerifier,
  ) {}

  @OnEvent(SessionTierChanged)
  tierChanged(@Payload() event: Envelope<SessionTierChangedV1>): Promise<void> {
    return this.audit.tierChanged(event);
  }

  @OnEvent(SubscriptionChanged)
  subscriptionChanged(@Payload() event: Envelope<SubscriptionChangedV1>): Promise<void> {
    return this.audit.subscriptionChanged(event);
  }

  @OnEvent(WebhookChanged)
  webhookChanged(@Payload() event: Envelope<WebhookChangedV1>): Promise<void> {
    return this.audit.webhookChanged(event);
  }

  @OnRequest(GetAuditLog)
  async list(@Payload() { tenantId }: TenantRef): Promise<AuditLogReply> {
    return { items: await this.audit.list(tenantId) };
  }

  @OnRequest(VerifyAuditLog)
  verify(@Payload() { tenantId }: VerifyAuditLogV1): Promise<AuditVerdict> {
    return this.verifier.verify(tenantId);
  }
}
