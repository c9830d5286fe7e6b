import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  type EndedMessage,
  EndMessage,
  EndMessageV1,
  Envelope,
  SendMessage,
  type SendMessageV1,
} from '@svc/contracts';
import { OnCommand, OnRequest } from '@svc/messaging';
import { EndingsService } from './endings.service.js';
import { SendingService } from './sending.service.js';

/** Takes send commands for the sessions of the partitions this worker owns, and ends what has not gone out, which any worker may. */
@Controller()
export class SendingConsumer {
  constructor(
    private readonly sending: SendingService,
    private readonly endings: EndingsService,
  ) {}

  @OnCommand(SendMessage)
  send(@Payload() envelope: Envelope<SendMessageV1>): Promise<void> {
    return this.sending.take(envelope);
  }

  @OnRequest(EndMessage)
  end(@Payload() request: EndMessageV1): Promise<EndedMessage> {
    return this.endings.end(request);
  }
}
