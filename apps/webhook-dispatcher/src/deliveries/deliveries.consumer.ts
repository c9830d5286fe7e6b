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
import { DeliveriesService } from './deliveries.service.js';

/** This consumer answers requests of other services about deliveries. */
@Controller()
export class DeliveriesConsumer {
  constructor(private readonly deliveries: DeliveriesService) {}

  @OnRequest(ListDeliveries)
  async list(@Payload() request: ListDeliveriesV1): Promise<DeliveriesReply> {
    return { deliveries: await this.deliveries.list(request) };
  }

  @OnRequest(GetDelivery)
  async get(@Payload() request: DeliveryRef): Promise<DeliveryReply> {
    return { delivery: await this.deliveries.get(request) };
  }
}
