import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  type AuditLogReply,
  Envelope,
  GetAuditLog,
  SessionTierChanged,
  type SessionTierChangedV1,
  TenantRef,
} from '@svc/contracts';
import { OnEvent, OnRequest } from '@svc/messaging';
import { AuditService } from './audit.service.js';

/** What reaches the audit log from other services, and who may read it. */
@Controller()
export class AuditConsumer {
  constructor(private readonly audit: AuditService) {}

  @OnEvent(SessionTierChanged)
  tierChanged(@Payload() event: Envelope<SessionTierChangedV1>): Promise<void> {
    return this.audit.tierChanged(event);
  }

  @OnRequest(GetAuditLog)
  async list(@Payload() { tenantId }: TenantRef): Promise<AuditLogReply> {
    return { items: await this.audit.list(tenantId) };
  }
}
