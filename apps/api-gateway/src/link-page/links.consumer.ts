import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Envelope, SessionConnected, type SessionConnectedV1 } from '@svc/contracts';
import { OnEvent } from '@svc/messaging';
import { LinkEnd } from './link-end.js';

/** This consumer hears that a session is connected: its number may have been linked on a page. */
@Controller()
export class LinksConsumer {
  constructor(private readonly end: LinkEnd) {}

  @OnEvent(SessionConnected)
  async connected(@Payload() { tenantId, data }: Envelope<SessionConnectedV1>): Promise<void> {
    if (data.phone !== null) await this.end.linked(tenantId, data.sessionId, data.phone);
  }
}
