import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  Envelope,
  GetLimits,
  GetLimitsV1,
  type LimitsReply,
  MessageFailed,
  type MessageFailedV1,
  MessageSent,
  type OutboundMessageV1,
  Reserve,
  type ReserveReply,
  ReserveV1,
} from '@svc/contracts';
import { OnEvent, OnRequest } from '@svc/messaging';
import { HealthRepository } from '../warmup/health.repository.js';
import { DaysService } from './days.service.js';
import { ReservationsService } from './reservations.service.js';

/** The question before every send, the events that settle it, and what is used of a day. */
@Controller()
export class ReservationsConsumer {
  constructor(
    private readonly reservations: ReservationsService,
    private readonly days: DaysService,
    private readonly health: HealthRepository,
  ) {}

  @OnRequest(Reserve)
  reserve(@Payload() request: ReserveV1): Promise<ReserveReply> {
    return this.reservations.reserve(request);
  }

  @OnEvent(MessageSent)
  sent(@Payload() { data }: Envelope<OutboundMessageV1>): Promise<void> {
    return this.health.progress(data.jobId, 'SENT', data.to);
  }

  @OnEvent(MessageFailed)
  async failed(@Payload() { data }: Envelope<MessageFailedV1>): Promise<void> {
    const { givenBack = [] } = data.failure;
    if (givenBack.length > 0) await this.reservations.giveBack(data.jobId, givenBack);
    // What never came near the platform says nothing of the number.
    if (!givenBack.includes('session')) await this.health.progress(data.jobId, 'FAILED', data.to);
  }

  @OnRequest(GetLimits)
  limits(@Payload() request: GetLimitsV1): Promise<LimitsReply> {
    return this.days.read(request);
  }
}
