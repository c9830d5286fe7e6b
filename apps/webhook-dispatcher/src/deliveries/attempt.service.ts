import { Injectable } from '@nestjs/common';
import { DispatcherConfig } from '../config.js';
import type { Receiver } from '../endpoints/endpoint-directory.js';
import { retryDelay } from '../sending/backoff.js';
import { deliveryBody, deliveryHeaders } from '../sending/delivery-request.js';
import { WebhookClient } from '../sending/webhook-client.js';
import { atStep } from '../steps.js';
import type { AttemptResult } from './attempt-result.js';
import type { QueuedDelivery } from './queued-delivery.js';

/** Makes one attempt: signs, posts, and says what comes next. */
@Injectable()
export class AttemptService {
  constructor(
    private readonly client: WebhookClient,
    private readonly config: DispatcherConfig,
  ) {}

  /** @throws Error where it could not be made, and so is none. */
  async attempt(item: QueuedDelivery, receiver: Receiver): Promise<AttemptResult> {
    const { signing } = receiver;
    if (signing === null) throw new Error('There is no secret to sign with.');
    const startedAt = new Date();
    const body = deliveryBody(item);
    const headers = deliveryHeaders(item, body, signing, startedAt.getTime());
    atStep('hook-3');
    const answer = await this.client.post(receiver.url, headers, body);
    atStep('hook-4');
    const { status, error, head, durationMs } = answer;
    const again = error !== null && !item.replay;
    return {
      status,
      error,
      head,
      durationMs,
      item,
      startedAt,
      endedAtMs: performance.now(),
      retryInMs: again ? retryDelay(item.attempt, this.config.retryDelaysMs) : undefined,
      generation: receiver.generation,
      recovering: receiver.recovering,
    };
  }
}
