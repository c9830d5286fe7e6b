import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Envelope } from '@svc/contracts';
import { OnEveryEvent } from '@svc/messaging';
import { IngestService } from './ingest.service.js';

/** Hears every event of the tenants whose partitions this process owns. */
@Controller()
export class EventsConsumer {
  constructor(private readonly ingest: IngestService) {}

  @OnEveryEvent()
  take(@Payload() envelope: Envelope): Promise<void> {
    return this.ingest.take(envelope);
  }
}
