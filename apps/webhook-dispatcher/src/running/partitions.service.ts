import { setTimeout as delay } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { JetStreamStrategy } from '@svc/messaging';
import { type Fence, type LossReason, PartitionOwner, type PartitionWork } from '@svc/ownership';
import { DeliveryDispatcher } from '../attempts/delivery-dispatcher.js';
import { EndpointDirectory } from '../endpoints/endpoint-directory.js';
import { DueLoader } from '../lanes/due-loader.js';
import { EndpointChanges } from '../ownership/endpoint-changes.js';

/** Longest wait for attempts under way when the process stops or gives a partition back: they end by their own deadline. */
const DRAIN_MS = 12_000;

/** This service runs the tenant partitions that this process owns: its steps when one is taken, given back or lost. */
@Injectable()
export class PartitionsService implements PartitionWork, OnApplicationBootstrap, BeforeApplicationShutdown {
  private drained = false;

  constructor(
    readonly consumer: JetStreamStrategy,
    private readonly owner: PartitionOwner,
    private readonly loader: DueLoader,
    private readonly dispatcher: DeliveryDispatcher,
    private readonly directory: EndpointDirectory,
    private readonly changes: EndpointChanges,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.loader.start();
    await this.owner.start(this);
  }

  /** Stops before the transports and the database are closed. */
  async beforeApplicationShutdown(): Promise<void> {
    this.dispatcher.stop();
    await this.consumer.close();
    await this.drain();
    this.drained = true;
    await this.loader.stop();
    await this.owner.stop();
  }

  answer(verb: string, question: unknown): Promise<object> {
    return this.changes.answer(verb, question);
  }

  async recover(fence: Fence): Promise<void> {
    // The endpoints are read afresh: changes under another owner were not announced to this process.
    this.directory.forgetPartition(fence.partition);
    await this.loader.recover(fence);
  }

  async onTake(fence: Fence): Promise<void> {
    await this.loader.takeOver(fence);
  }

  async onLose(partition: number, reason: LossReason): Promise<void> {
    this.loader.drop(partition);
    if (reason === 'handover') await this.drain(partition);
  }

  /**
   * Waits for the attempts under way, for a bounded time: results cannot be written while the database is away, and the end must not wait
   * for that.
   */
  private async drain(partition?: number): Promise<void> {
    if (this.drained) return;
    const limit = new AbortController();
    const late = delay(DRAIN_MS, undefined, { ref: false, signal: limit.signal }).catch(() => undefined);
    await Promise.race([this.dispatcher.waitUntilIdle(partition), late]);
    limit.abort();
  }
}
