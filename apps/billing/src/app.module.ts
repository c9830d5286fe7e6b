import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { connectionProviders, databaseModule, HealthController } from '@svc/service';
import { BillingConfig, readConfig } from './config.js';
import { Subscription } from './subscriptions/subscription.entity.js';
import { SubscriptionsConsumer } from './subscriptions/subscriptions.consumer.js';
import { SubscriptionsService } from './subscriptions/subscriptions.service.js';

/** The whole wiring of `billing`. */
@Module({
  imports: [databaseModule('billing', readConfig, [Subscription]), TypeOrmModule.forFeature([Subscription])],
  controllers: [HealthController, SubscriptionsConsumer],
  providers: [...connectionProviders('billing', BillingConfig, readConfig), SubscriptionsService],
})
export class AppModule {}
