import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Envelope, ReconcileSession, type ReconcileSessionV1 } from '@svc/contracts';
import { OnCommand } from '@svc/messaging';
import { SendingService } from '../sending/sending.service.js';
import { PartitionsService } from './partitions.service.js';

/** Takes wishes for the sessions of the partitions this worker owns. */
@Controller()
export class RunnersConsumer {
  constructor(
    private readonly partitions: PartitionsService,
    private readonly sending: SendingService,
  ) {}

  @OnCommand(ReconcileSession)
  reconcile(@Payload() { data }: Envelope<ReconcileSessionV1>): void {
    this.partitions.reconcile(data.sessionId);
    // Messages that wait may go out again, where a suspension has ended.
    this.sending.senders.get(data.sessionId)?.wake();
  }
}
