import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { EraseContactV1, type ErasedInLimits, EraseInLimits } from '@svc/contracts';
import { OnRequest } from '@svc/messaging';
import { ContactHash } from './contact-hash.js';

/** This consumer takes erasures of contacts. */
@Controller()
export class ErasureConsumer {
  constructor(private readonly hash: ContactHash) {}

  @OnRequest(EraseInLimits)
  async erase(@Payload() { tenantId, contact }: EraseContactV1): Promise<ErasedInLimits> {
    return { contacts: await this.hash.erase(tenantId, contact) };
  }
}
