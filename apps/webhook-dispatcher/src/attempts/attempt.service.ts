import { Injectable } from '@nestjs/common';
import { DispatcherConfig } from '../config.js';
import type { Receiver } from '../endpoints/endpoint-directory.js';
import type { Answer } from '@svc/outbound-http';
import { retryDelay } from './backoff.js';
import { deliveryBody, deliveryHeaders } from '../signing/signed-request.js';
import { WebhookClient } from '@svc/outbound-http';
import { atStep } from '../steps.js';
import type { AttemptResult } from './attempt-result.js';
import type { QueuedDelivery } from '../lanes/queued-delivery.js';

/** Hears once what became of an attempt. */
export interface AttemptListener {
  ended(this: void, result: AttemptResult): void;
  failed(this: void, error: unknown): void;
}

/** Makes one attempt: signs, posts, and says what comes next. */
@Injectable()
export class AttemptService {
  constructor(
    private readonly client: WebhookClient,
    private readonly config: DispatcherConfig,
  ) {}

  /** `failed` hears why it could not be made, and so is none. */
  attempt(item: QueuedDelivery, receiver: Receiver, { ended, failed }: AttemptListener): void {
    const { signing } = receiver;
    if (signing === null) return failed(new Error('There is no secret to sign with.'));
    const startedAt = new Date();
    const body = deliveryBody(item);
    const headers = deliveryHeaders(item, body, signing, startedAt.getTime());
    atStep('hook-3');
    this.client.send(
      { url: receiver.url, headers, body },
      { ended: (answer) => ended(this.resultOf(answer, item, receiver, startedAt)), failed },
    );
  }

  private resultOf(
    { status, error, head, durationMs }: Answer,
    item: QueuedDelivery,
    { generation, recovering }: Receiver,
    startedAt: Date,
  ): AttemptResult {
    atStep('hook-4');
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
      generation,
      recovering,
    };
  }
}
