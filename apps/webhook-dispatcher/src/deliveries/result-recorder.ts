import { Injectable } from '@nestjs/common';
import { log } from '@svc/service';
import { setTimeout as delay } from 'node:timers/promises';
import { EndpointDirectory } from '../endpoints/endpoint-directory.js';
import { atStep } from '../steps.js';
import type { AttemptResult } from './attempt-result.js';
import { MicroBatcher } from './micro-batcher.js';
import { ResultRepository } from './result.repository.js';

/** Half of what may wait (`LANE_LIMITS.unwritten`), so that attempts start while a batch is written. */
const BATCH = { maxSize: 128, lingerMs: 5 };
const RETRY_MS = 250;

/**
 * Writes results in batches. While the database is away a batch waits and with it all later ones; their slots stay
 * taken, so sending stops by itself at the bound of attempts that are not recorded.
 */
@Injectable()
export class ResultRecorder {
  private readonly batcher = new MicroBatcher<AttemptResult, number | undefined>(BATCH, (batch) =>
    this.write(batch),
  );

  constructor(
    private readonly results: ResultRepository,
    private readonly directory: EndpointDirectory,
  ) {}

  /** @returns when the next attempt is due, in domain time, where there is one. */
  record(result: AttemptResult): Promise<number | undefined> {
    return this.batcher.add(result);
  }

  private async write(batch: AttemptResult[]): Promise<(number | undefined)[]> {
    for (;;) {
      try {
        const { changedTenants, dueAtMs } = await this.results.record(batch);
        atStep('hook-5');
        for (const tenantId of changedTenants) this.directory.forget(tenantId);
        return batch.map(({ item }) => dueAtMs.get(item.id));
      } catch (error) {
        log().warn({ err: error, results: batch.length }, 'results could not be written, trying again');
        await delay(RETRY_MS);
      }
    }
  }
}
