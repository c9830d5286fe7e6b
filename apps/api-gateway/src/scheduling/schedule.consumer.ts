import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Envelope, SessionDeleted, type SessionDeletedV1 } from '@svc/contracts';
import { OnEvent } from '@svc/messaging';
import { ScheduleRepository } from './schedule.repository.js';

/** This consumer hears of deleted sessions: what was scheduled for one fails now, and not on its day, as the worker then says. */
@Controller()
export class ScheduleConsumer {
  constructor(private readonly schedule: ScheduleRepository) {}

  @OnEvent(SessionDeleted)
  sessionDeleted(@Payload() { tenantId, data }: Envelope<SessionDeletedV1>): Promise<void> {
    return this.schedule.bringForward(tenantId, data.sessionId);
  }
}
