import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  Envelope,
  ReconcileSession,
  type ReconcileSessionV1,
  SendMessage,
  type SendMessageV1,
} from '@svc/contracts';
import { OnCommand } from '@svc/messaging';
import { OwnershipService } from '../ownership/ownership.service.js';
import { SendingService } from './sending.service.js';

/** Commands for the sessions of the partitions this worker owns. */
@Controller()
export class SendingConsumer {
  constructor(
    private readonly sending: SendingService,
    private readonly ownership: OwnershipService,
  ) {}

  @OnCommand(SendMessage)
  send(@Payload() envelope: Envelope<SendMessageV1>): Promise<void> {
    return this.sending.take(envelope);
  }

  @OnCommand(ReconcileSession)
  reconcile(@Payload() { data }: Envelope<ReconcileSessionV1>): void {
    this.ownership.reconcile(data.sessionId);
  }
}
