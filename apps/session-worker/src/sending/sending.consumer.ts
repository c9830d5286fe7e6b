import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  type EndedMessage,
  EndMessage,
  EndMessageV1,
  Envelope,
  ReconcileSession,
  type ReconcileSessionV1,
  SendMessage,
  type SendMessageV1,
} from '@svc/contracts';
import { OnCommand, OnRequest } from '@svc/messaging';
import { OwnershipService } from '../ownership/ownership.service.js';
import { EndingsService } from './endings.service.js';
import { SendingService } from './sending.service.js';

/** Commands for the sessions of the partitions this worker owns, and the end of what has not gone out, which any worker brings about. */
@Controller()
export class SendingConsumer {
  constructor(
    private readonly sending: SendingService,
    private readonly ownership: OwnershipService,
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

  @OnCommand(ReconcileSession)
  reconcile(@Payload() { data }: Envelope<ReconcileSessionV1>): void {
    this.ownership.reconcile(data.sessionId);
  }
}
