import { log } from '@svc/service';
import { patiently } from '../database-patience.js';
import type { Ledger } from './ledger.js';
import { type Rung, RUNGS } from './outbound.js';

/** Writes acks and receipts of one session. What comes while the last ones are being written goes together. */
export class ReceiptWriter {
  private readonly observed = new Map<string, Rung>();
  /** Ends with the last batch that was begun; never fails. */
  private settled: Promise<void> = Promise.resolve();
  /** The batch that has not begun to be written. */
  private batch: Promise<void> | undefined;

  constructor(private readonly ledger: Ledger) {}

  /** Resolves when it is written that these messages have come so far, and what that tells. */
  write(keyIds: string[], rung: Rung): Promise<void> {
    for (const keyId of keyIds) {
      const reached = this.observed.get(keyId);
      if (!reached || RUNGS.indexOf(reached) < RUNGS.indexOf(rung)) this.observed.set(keyId, rung);
    }
    if (this.batch) return this.batch;
    const batch = this.settled.then(() => this.settle());
    this.batch = batch;
    this.settled = batch.catch((error: unknown) => log().warn({ err: error }, 'receipts not written'));
    return batch;
  }

  /** Resolves when nothing is being written any more. */
  async idle(): Promise<void> {
    let last: Promise<void>;
    do {
      last = this.settled;
      await last;
    } while (last !== this.settled);
  }

  private async settle(): Promise<void> {
    this.batch = undefined;
    const entries = [...this.observed];
    this.observed.clear();
    for (const rung of ['SENT', 'DELIVERED', 'READ'] as const) {
      const keyIds = entries.filter(([, reached]) => reached === rung).map(([keyId]) => keyId);
      if (keyIds.length > 0) await patiently(() => this.ledger.climb(keyIds, rung));
    }
  }
}
