import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  AppendAuditFacts,
  AppendAuditFactsV1,
  type AppendedAuditFacts,
  type AuditLogReply,
  type AuditVerdict,
  GetAuditLog,
  TenantRef,
  VerifyAuditLog,
  VerifyAuditLogV1,
} from '@svc/contracts';
import { OnRequest } from '@svc/messaging';
import { AuditVerifier } from './audit-verifier.js';
import { AuditService } from './audit.service.js';

/** This consumer takes the facts that other services deliver, and answers the operator. */
@Controller()
export class AuditConsumer {
  constructor(
    private readonly audit: AuditService,
    private readonly verifier: AuditVerifier,
  ) {}

  @OnRequest(AppendAuditFacts)
  async append(@Payload() { facts }: AppendAuditFactsV1): Promise<AppendedAuditFacts> {
    return { ids: await this.audit.appendAll(facts) };
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
