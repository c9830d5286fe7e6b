import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { EraseContactV1, type ErasedInSessions, EraseInSessions } from '@svc/contracts';
import { OnRequest } from '@svc/messaging';
import { ErasureService } from './erasure.service.js';

/** Takes erasures that other services ask for; any worker carries them out. */
@Controller()
export class ErasureConsumer {
  constructor(private readonly erasures: ErasureService) {}

  @OnRequest(EraseInSessions)
  erase(@Payload() request: EraseContactV1): Promise<ErasedInSessions> {
    return this.erasures.erase(request);
  }
}
