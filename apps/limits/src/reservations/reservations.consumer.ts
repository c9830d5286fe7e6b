import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  Envelope,
  GetLimits,
  GetLimitsV1,
  type LimitsReply,
  MessageFailed,
  type MessageFailedV1,
  Reserve,
  type ReserveReply,
  ReserveV1,
} from '@svc/contracts';
import { OnEvent, OnRequest } from '@svc/messaging';
import { DaysService } from './days.service.js';
import { ReservationsService } from './reservations.service.js';

/** This consumer answers the question before every send, takes failures, which give units back, and says what is used of a day. */
@Controller()
export class ReservationsConsumer {
  constructor(
    private readonly reservations: ReservationsService,
    private readonly days: DaysService,
  ) {}

  @OnRequest(Reserve)
  reserve(@Payload() request: ReserveV1): Promise<ReserveReply> {
    return this.reservations.reserve(request);
  }

  @OnEvent(MessageFailed)
  failed(@Payload() { data }: Envelope<MessageFailedV1>): Promise<void> {
    return this.reservations.failed(data);
  }

  @OnRequest(GetLimits)
  limits(@Payload() request: GetLimitsV1): Promise<LimitsReply> {
    return this.days.read(request);
  }
}
