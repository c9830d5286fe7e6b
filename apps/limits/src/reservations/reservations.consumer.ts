import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  Envelope,
  MessageSent,
  type OutboundMessageV1,
  Reserve,
  type ReserveReply,
  ReserveV1,
} from '@svc/contracts';
import { OnEvent, OnRequest } from '@svc/messaging';
import { ReservationsService } from './reservations.service.js';

/** The question before every send, and the event that settles it. */
@Controller()
export class ReservationsConsumer {
  constructor(private readonly reservations: ReservationsService) {}

  @OnRequest(Reserve)
  reserve(@Payload() request: ReserveV1): Promise<ReserveReply> {
    return this.reservations.reserve(request);
  }

  @OnEvent(MessageSent)
  settle(@Payload() { data }: Envelope<OutboundMessageV1>): Promise<void> {
    return this.reservations.settle(data.jobId);
  }
}
