import { Injectable } from '@nestjs/common';
import { log } from '@svc/service';
import { setTimeout as delay } from 'node:timers/promises';
import { EndpointDirectory } from '../endpoints/endpoint-directory.js';
import { atStep } from '../steps.js';
import type { AttemptResult } from './attempt-result.js';
import { Batches } from '../batches.js';
import { ResultRepository } from './result.repository.js';

/**
 * Half of what may wait (`LANE_LIMITS.unwritten`), so that attempts start while a batch is written. Only the next of a strict
 * conversation waits for the linger.
 */
const BATCH = { maxSize: 192, lingerMs: 5 };
const RETRY_MS = 250;

/**
 * Writes results in batches. While the database is away a batch waits and with it all later ones; their slots stay
 * taken, so sending stops by itself at the bound of attempts that are not recorded.
 */
@Injectable()
export class ResultRecorder {
  /** Called with results that are written, and with when the next attempts of these deliveries are due, in domain time, where there are any. */
  onWritten: (results: AttemptResult[], dueAtMs: Map<string, number>) => void = () => undefined;
  private readonly batches = new Batches<AttemptResult>(BATCH, (batch) => this.write(batch));

  constructor(
    private readonly results: ResultRepository,
    private readonly directory: EndpointDirectory,
  ) {}

  record(result: AttemptResult): void {
    this.batches.add(result);
  }

  private async write(batch: AttemptResult[]): Promise<void> {
    for (;;) {
      const dueAtMs = await this.tryToWrite(batch);
      if (dueAtMs) return this.onWritten(batch, dueAtMs);
      await delay(RETRY_MS);
    }
  }

  private async tryToWrite(batch: AttemptResult[]): Promise<Map<string, number> | undefined> {
    try {
      const { changedTenants, dueAtMs } = await this.results.record(batch);
      atStep('hook-5');
      for (const tenantId of changedTenants) this.directory.forget(tenantId);
      return dueAtMs;
    } catch (error) {
      log().warn({ err: error, results: batch.length }, 'results could not be written, trying again');
      return undefined;
    }
  }
}
