import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  type ContactEventsReply,
  type EventLogReply,
  FindEventLogEnds,
  FindEventLogEndsV1,
  ReadContactEvents,
  ReadContactEventsV1,
  ReadEventLog,
  ReadEventLogV1,
} from '@svc/contracts';
import { OnRequest } from '@svc/messaging';
import { LongReads } from '@svc/service';
import { ContactEventsService } from './contact-events.service.js';
import { EventLogService } from './event-log.service.js';

/** This consumer answers requests for the events of tenants. */
@Controller()
export class EventsConsumer {
  constructor(
    private readonly log: EventLogService,
    private readonly contacts: ContactEventsService,
    private readonly reads: LongReads,
  ) {}

  @OnRequest(ReadEventLog)
  read(@Payload() request: ReadEventLogV1): Promise<EventLogReply> {
    return this.reads.run(request.tenantId, () => this.log.read(request));
  }

  @OnRequest(ReadContactEvents)
  ofContact(@Payload() request: ReadContactEventsV1): Promise<ContactEventsReply> {
    return this.reads.run(request.tenantId, () => this.contacts.read(request));
  }

  @OnRequest(FindEventLogEnds)
  ends(@Payload() { tenantIds }: FindEventLogEndsV1): Promise<{ ends: string[] }> {
    return this.log.ends(tenantIds);
  }
}
