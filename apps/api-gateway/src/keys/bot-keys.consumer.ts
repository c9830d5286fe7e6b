import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Envelope, SessionDeleted, type SessionDeletedV1 } from '@svc/contracts';
import { OnEvent } from '@svc/messaging';
import { BotKeys } from './bot-keys.service.js';

/** This consumer hears of deleted sessions: also where the process that was asked died, the keys of their bots end. */
@Controller()
export class BotKeysConsumer {
  constructor(private readonly keys: BotKeys) {}

  @OnEvent(SessionDeleted)
  sessionDeleted(@Payload() { tenantId, data }: Envelope<SessionDeletedV1>): Promise<void> {
    return this.keys.end({ tenantId, sessionId: data.sessionId }, data.actor ?? 'system');
  }
}
