import { Injectable } from '@nestjs/common';
import { PartitionOwner } from '@svc/ownership';
import { EndpointDirectory, type Receiver } from '../endpoints/endpoint-directory.js';
import { DeliveryRepository } from '../lanes/delivery.repository.js';
import { DeliveryScheduler } from '../lanes/delivery-scheduler.js';
import type { QueuedDelivery } from '../lanes/queued-delivery.js';

/** The gate says whether a delivery whose turn has come may go out; it is asked immediately before every attempt. */
@Injectable()
export class EndpointGate {
  constructor(
    private readonly directory: EndpointDirectory,
    private readonly scheduler: DeliveryScheduler,
    private readonly deliveries: DeliveryRepository,
    private readonly owner: PartitionOwner,
  ) {}

  /** Returns the receiver where it is in memory and nothing stands against sending: what holds for nearly all. */
  cachedReceiver(item: QueuedDelivery): Receiver | undefined {
    const receiver = this.directory.cached(item.tenantId)?.get(item.endpointId);
    return receiver && this.isOpen(item, receiver) && this.isMine(item) ? receiver : undefined;
  }

  /** Reads the receiver as it is now; undefined when nothing must be sent, and then the delivery is where it belongs. */
  async receiverFor(item: QueuedDelivery): Promise<Receiver | undefined> {
    if (!this.isMine(item)) return undefined;
    const receiver = (await this.directory.ofTenant(item.tenantId)).get(item.endpointId);
    if (!receiver) await this.deliveries.deleteOrphans(item.endpointId);
    else if (!this.isOpen(item, receiver)) await this.hold(item);
    else if (this.isMine(item)) return receiver;
    return undefined;
  }

  private isOpen(item: QueuedDelivery, receiver: Receiver): boolean {
    this.scheduler.checkGeneration(item, receiver);
    return receiver.state === 'ACTIVE' && !this.scheduler.isOutdated(item);
  }

  /**
   * Holds what is in memory for an endpoint that is not active. One that was reactivated since (or deleted) gets it back
   * from the database: what is held for it is older and goes out first.
   */
  private async hold(item: QueuedDelivery): Promise<void> {
    await this.scheduler.returnToDatabase(item, async (items) => {
      const ids = items.map(({ id }) => id);
      if (await this.deliveries.hold(item, item.endpointId, ids)) return false;
      this.directory.forget(item.tenantId);
      await this.deliveries.release([item], ids);
      return true;
    });
  }

  private isMine({ partition, epoch }: QueuedDelivery): boolean {
    return this.owner.epochOf(partition) === epoch;
  }
}
