import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Envelope, SessionDeleted, type SessionDeletedV1 } from '@svc/contracts';
import { OnEvent } from '@svc/messaging';
import { DeletionsService } from './deletions.service.js';

/** This consumer hears of sessions that are deleted. */
@Controller()
export class DeletionsConsumer {
  constructor(private readonly deletions: DeletionsService) {}

  @OnEvent(SessionDeleted)
  delete(@Payload() { tenantId, data }: Envelope<SessionDeletedV1>): Promise<void> {
    return this.deletions.deleteSession(tenantId, data.sessionId);
  }
}
