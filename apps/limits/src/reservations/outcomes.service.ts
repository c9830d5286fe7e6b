import { Injectable } from '@nestjs/common';
import type { MessageFailedV1, OutboundMessageV1 } from '@svc/contracts';
import { HealthService } from '../warmup/health.service.js';
import { ReservationsService } from './reservations.service.js';

/** This service settles reservations by what becomes of their messages. */
@Injectable()
export class OutcomesService {
  constructor(
    private readonly reservations: ReservationsService,
    private readonly health: HealthService,
  ) {}

  /** A message that went out has used its unit for good. */
  sent(message: OutboundMessageV1): Promise<void> {
    return this.health.sent(message);
  }

  /** The unit comes back first: counting the failure would settle it. */
  async failed(message: MessageFailedV1): Promise<void> {
    const { givenBack = [] } = message.failure;
    if (givenBack.length > 0) await this.reservations.giveBack(message.jobId, givenBack);
    await this.health.failed(message);
  }
}
