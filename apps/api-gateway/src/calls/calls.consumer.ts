import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { CallReceived, type CallReceivedV1, Envelope } from '@svc/contracts';
import { OnEvent } from '@svc/messaging';
import { CallsService } from './calls.service.js';

/** This consumer takes the calls to numbers from the session worker. */
@Controller()
export class CallsConsumer {
  constructor(private readonly calls: CallsService) {}

  @OnEvent(CallReceived)
  called(@Payload() event: Envelope<CallReceivedV1>): Promise<void> {
    return this.calls.called(event);
  }
}
