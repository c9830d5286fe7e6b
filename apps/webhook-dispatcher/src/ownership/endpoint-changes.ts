import { EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import {
  AppError,
  ConfirmEndpointChange,
  type ConfirmEndpointChangeV1,
  type Nothing,
  parseData,
  partitionOf,
} from '@svc/contracts';
import { OwnerLine } from '@svc/ownership';
import { log } from '@svc/service';

/**
 * Longest that an owner acts on the state before a change, should the question be lost, and that the caller of a change waits, in ms. Less
 * than the 5 s that callers wait for an answer.
 */
export const MAX_AGE_MS = 4_000;
/** Time that an owner has to confirm before it is asked again, and the wait before that, in ms. */
const CONFIRM_MS = 1_000;
const AGAIN_MS = 100;

/**
 * This class announces a change of an endpoint to the one process that delivers for its tenant, so that it is in force for the next attempt
 * when the call returns. A new owner reads everything afresh, so no other process needs the announcement.
 */
@Injectable()
export class EndpointChanges {
  /** Emitter of changes that were announced to this process; `EndpointDirectory` and `DueLoader` listen. */
  readonly events = new EventEmitter<{ changed: [ConfirmEndpointChangeV1] }>();

  constructor(private readonly line: OwnerLine) {}

  /** Announces a change after its commit. Resolves when nobody acts on the old state any more: confirmed, or forgotten for its age. */
  async announce(change: ConfirmEndpointChangeV1): Promise<void> {
    const partition = partitionOf(change.tenantId);
    const forgottenAt = performance.now() + MAX_AGE_MS;
    for (let left = MAX_AGE_MS; left > 0; left = Math.ceil(forgottenAt - performance.now())) {
      if (await this.confirms(partition, change, Math.min(CONFIRM_MS, left))) return;
      // The wait also holds without an owner: one may act on the old state and be cut off from NATS, or be about to take the partition.
      await delay(AGAIN_MS);
    }
    log().warn(
      { endpointId: change.endpointId, partition },
      'the owner did not confirm a change of an endpoint',
    );
  }

  /** Answers as the owner: acts on a change. */
  async answer(verb: string, question: unknown): Promise<Nothing> {
    if (verb !== ConfirmEndpointChange.subject)
      throw new AppError('VALIDATION_FAILED', `No owner answers ${verb}.`);
    this.events.emit('changed', parseData(ConfirmEndpointChange.request, question));
    return {};
  }

  private async confirms(
    partition: number,
    change: ConfirmEndpointChangeV1,
    timeoutMs: number,
  ): Promise<boolean> {
    try {
      await this.line.ask(ConfirmEndpointChange, partition, change, timeoutMs);
      return true;
    } catch {
      return false;
    }
  }
}
