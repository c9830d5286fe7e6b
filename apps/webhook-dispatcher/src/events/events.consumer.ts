import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  type ContactEventsReply,
  Envelope,
  type EventLogReply,
  FindEventLogEnds,
  FindEventLogEndsV1,
  ReadContactEvents,
  ReadContactEventsV1,
  ReadEventLog,
  ReadEventLogV1,
} from '@svc/contracts';
import { OnEveryEvent, OnRequest } from '@svc/messaging';
import { ContactEventsService } from './contact-events.service.js';
import { EventLogService } from './event-log.service.js';
import { IngestService } from './ingest.service.js';

/** Hears every event of the tenants whose partitions this process owns, and reads out those of any. */
@Controller()
export class EventsConsumer {
  constructor(
    private readonly ingest: IngestService,
    private readonly log: EventLogService,
    private readonly contacts: ContactEventsService,
  ) {}

  @OnEveryEvent()
  take(@Payload() envelope: Envelope): Promise<void> {
    return this.ingest.take(envelope);
  }

  @OnRequest(ReadEventLog)
  read(@Payload() request: ReadEventLogV1): Promise<EventLogReply> {
    return this.log.read(request);
  }

  @OnRequest(ReadContactEvents)
  ofContact(@Payload() request: ReadContactEventsV1): Promise<ContactEventsReply> {
    return this.contacts.read(request);
  }

  @OnRequest(FindEventLogEnds)
  ends(@Payload() { tenantIds }: FindEventLogEndsV1): Promise<{ ends: string[] }> {
    return this.log.ends(tenantIds);
  }
}
