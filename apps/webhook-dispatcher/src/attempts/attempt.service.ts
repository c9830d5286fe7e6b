import { EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Batches, isOfContent, togetherOrAlone } from '@svc/database';
import { type Answer, OutboundHttp, type PostLimits } from '@svc/outbound-http';
import { log, refusalWords } from '@svc/service';
import { DispatcherConfig } from '../config.js';
import { countDropped } from '../dropped.js';
import { EndpointDirectory, type Receiver } from '../endpoints/endpoint-directory.js';
import type { QueuedDelivery } from '../lanes/queued-delivery.js';
import { deliveryBody, deliveryHeaders, postLimits } from '../signing/signed-post.js';
import { atStep } from '../steps.js';
import { type AttemptResult, retryDelay } from './attempt-result.js';
import { type RecordOutcome, ResultRepository } from './result.repository.js';

/**
 * Limits of a batch: half of what may wait (`LANE_LIMITS.unwritten`), so that attempts start while a batch is written. Only the next of a
 * strict conversation waits for the linger.
 */
const BATCH = { maxSize: 192, lingerMs: 5 };
const REWRITE_MS = 250;

/** Listener for the result of an attempt; it is called once. */
export interface AttemptListener {
  onResult(this: void, result: AttemptResult): void;
  onError(this: void, error: unknown): void;
}

/** Results that are written, and when the next attempts of these deliveries are due, in domain time, where there are any. */
export interface WrittenResults {
  results: AttemptResult[];
  dueAtMs: Map<string, number>;
  /** Deliveries that the database still has, though it refuses all that would end them; by id. */
  stuck: ReadonlySet<string>;
}

/** This service makes attempts – signs, posts, and decides the next step – and writes their results in batches. */
@Injectable()
export class AttemptService {
  /** Emitter of results that are written; `DeliveryDispatcher` listens. */
  readonly events = new EventEmitter<{ written: [WrittenResults] }>();
  private readonly limits: PostLimits;
  private readonly batches = new Batches<AttemptResult>({
    ...BATCH,
    handle: (results) => this.write(results),
    onFailure: (error) => log().error({ err: error }, 'a batch failed'),
  });

  constructor(
    private readonly http: OutboundHttp,
    private readonly config: DispatcherConfig,
    private readonly results: ResultRepository,
    private readonly directory: EndpointDirectory,
  ) {
    this.limits = postLimits(config.timeoutMs);
  }

  /** Makes one attempt. `onError` hears why it could not be made, and so is none. */
  attempt(item: QueuedDelivery, receiver: Receiver, { onResult, onError }: AttemptListener): void {
    const { url, signing } = receiver;
    if (signing === null) return onError(new Error('There is no secret to sign with.'));
    const startedAt = new Date();
    const body = deliveryBody(item);
    const headers = deliveryHeaders(item, body, signing, startedAt.getTime());
    atStep('hook-3');
    this.http.send(url, headers, body, this.limits, {
      onAnswer: (answer) => onResult(this.resultOf(answer, item, receiver, startedAt)),
      onError,
    });
  }

  /**
   * Writes a result with others. While the database is away a batch waits and with it all later ones; their slots stay
   * taken, so sending stops by itself at the bound of attempts that are not written.
   */
  record(result: AttemptResult): void {
    this.batches.add(result);
  }

  private resultOf(
    { status, error, head, durationMs }: Answer,
    item: QueuedDelivery,
    { generation, recovering, newSecretUntil }: Receiver,
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
      newSecretUntil,
    };
  }

  private async write(results: AttemptResult[]): Promise<void> {
    for (;;) {
      const stuck = new Set<string>();
      const outcomes = await this.tryToWrite(results, stuck);
      if (outcomes) {
        const dueAtMs = new Map(outcomes.flatMap((outcome) => [...outcome.dueAtMs]));
        return void this.events.emit('written', { results, dueAtMs, stuck });
      }
      await delay(REWRITE_MS);
    }
  }

  private async tryToWrite(
    results: AttemptResult[],
    stuck: Set<string>,
  ): Promise<RecordOutcome[] | undefined> {
    try {
      const outcomes = await togetherOrAlone(
        results,
        (some) => this.results.record(some),
        async (result, error) => {
          if (!(await this.endRefused(result, error))) stuck.add(result.item.id);
        },
      );
      atStep('hook-5');
      for (const { changedTenants } of outcomes)
        for (const tenantId of changedTenants) this.directory.forget(tenantId);
      return outcomes;
    } catch (error) {
      log().warn({ err: error, results: results.length }, 'results could not be written, trying again');
      return undefined;
    }
  }

  /** Ends a delivery whose result the database refuses: without a result it would be sent again for ever. Says whether it has ended. */
  private async endRefused(result: AttemptResult, error: unknown): Promise<boolean> {
    const { id: deliveryId, endpointId, tenantId } = result.item;
    const fields = { deliveryId, endpointId, tenantId, err: error, words: refusalWords(error) };
    if (await isTaken(this.results.bury(result))) {
      log().error(fields, 'a result is refused: its delivery becomes a dead letter');
      return true;
    }
    if (await isTaken(this.results.drop(result))) {
      countDropped('result');
      log().error(fields, 'a result and its dead letter are refused: the delivery ends without either');
      return true;
    }
    log().error(
      fields,
      'a delivery cannot be ended: it is not sent again while this process has its partition',
    );
    return false;
  }
}

/** Says whether the database took a write, or refused it for its content's sake. */
function isTaken(write: Promise<void>): Promise<boolean> {
  return write.then(
    () => true,
    (error: unknown) => {
      if (!isOfContent(error)) throw error;
      return false;
    },
  );
}
