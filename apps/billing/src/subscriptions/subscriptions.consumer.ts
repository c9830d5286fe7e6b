import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  CreateSubscription,
  CreateSubscriptionV1,
  GetSubscription,
  SetSubscription,
  SetSubscriptionV1,
  type SubscriptionState,
  TenantRef,
} from '@svc/contracts';
import { OnRequest } from '@svc/messaging';
import { SubscriptionsService } from './subscriptions.service.js';

/** This consumer answers what other services ask about subscriptions. */
@Controller()
export class SubscriptionsConsumer {
  constructor(private readonly subscriptions: SubscriptionsService) {}

  @OnRequest(GetSubscription)
  get(@Payload() { tenantId }: TenantRef): Promise<SubscriptionState> {
    return this.subscriptions.get(tenantId);
  }

  @OnRequest(CreateSubscription)
  create(@Payload() request: CreateSubscriptionV1): Promise<SubscriptionState> {
    return this.subscriptions.create(request);
  }

  @OnRequest(SetSubscription)
  set(@Payload() request: SetSubscriptionV1): Promise<SubscriptionState> {
    return this.subscriptions.set(request);
  }
}
