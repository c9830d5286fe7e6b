import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  type DeliveriesReply,
  DeliveryRef,
  type DeliveryReply,
  GetDelivery,
  ListDeliveries,
  ListDeliveriesV1,
} from '@svc/contracts';
import { OnRequest } from '@svc/messaging';
import { LongReads } from '@svc/service';
import { DeliveriesService } from './deliveries.service.js';

/** This consumer answers requests of other services about deliveries. */
@Controller()
export class DeliveriesConsumer {
  constructor(
    private readonly deliveries: DeliveriesService,
    private readonly reads: LongReads,
  ) {}

  @OnRequest(ListDeliveries)
  async list(@Payload() request: ListDeliveriesV1): Promise<DeliveriesReply> {
    const { tenantId } = request;
    return { deliveries: await this.reads.run(tenantId, () => this.deliveries.list(request)) };
  }

  @OnRequest(GetDelivery)
  async get(@Payload() request: DeliveryRef): Promise<DeliveryReply> {
    const { tenantId } = request;
    return { delivery: await this.reads.run(tenantId, () => this.deliveries.get(request)) };
  }
}
