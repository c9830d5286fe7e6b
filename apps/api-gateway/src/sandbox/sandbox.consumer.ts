import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Envelope, SessionDeleted, type SessionDeletedV1 } from '@svc/contracts';
import { OnEvent } from '@svc/messaging';
import { SandboxNumbers } from './sandbox-numbers.js';

/** This consumer hears that a session is deleted: nobody asks for its phone any more. */
@Controller()
export class SandboxConsumer {
  constructor(private readonly numbers: SandboxNumbers) {}

  @OnEvent(SessionDeleted)
  deleted(@Payload() { data }: Envelope<SessionDeletedV1>): Promise<void> {
    return this.numbers.forget(data.sessionId);
  }
}
