import { Injectable } from '@nestjs/common';
import { EndpointDirectory, type Receiver } from '../endpoints/endpoint-directory.js';
import { DeliveryRepository } from './delivery.repository.js';
import { DeliveryScheduler } from './delivery-scheduler.js';
import { OwnedPartitions } from './owned-partitions.js';
import type { QueuedDelivery } from './queued-delivery.js';

/** Whether a delivery whose turn has come may go out, looked at immediately before every attempt. */
@Injectable()
export class AdmissionService {
  constructor(
    private readonly directory: EndpointDirectory,
    private readonly scheduler: DeliveryScheduler,
    private readonly deliveries: DeliveryRepository,
    private readonly owned: OwnedPartitions,
  ) {}

  /** The endpoint as it is now; undefined when nothing must be sent, and then the delivery is where it belongs. */
  async receiverFor(item: QueuedDelivery): Promise<Receiver | undefined> {
    while (this.isMine(item)) {
      const receiver = (await this.directory.ofTenant(item.tenantId)).get(item.endpointId);
      if (!receiver) {
        await this.deliveries.deleteOrphans(item.endpointId);
        return undefined;
      }
      if (receiver.state === 'ACTIVE') return this.isMine(item) ? receiver : undefined;
      if (await this.hold(item)) return undefined;
      // It was reactivated a moment ago, or deleted: what we knew about it is old.
      this.directory.forget(item.tenantId);
    }
    return undefined;
  }

  private async hold(item: QueuedDelivery): Promise<boolean> {
    const others = this.scheduler.drain(item.endpointId);
    const ids = [item, ...others].map(({ id }) => id);
    try {
      const held = await this.deliveries.hold(item, item.endpointId, ids);
      if (!held) this.scheduler.put(others.splice(0));
      return held;
    } finally {
      this.scheduler.forget(others);
    }
  }

  private isMine({ partition, epoch }: QueuedDelivery): boolean {
    return this.owned.epochOf(partition) === epoch;
  }
}
