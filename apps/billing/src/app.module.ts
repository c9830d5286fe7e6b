import { Module } from '@nestjs/common';
import { LlmCalled } from '@svc/contracts';
import { JetStreamStrategy, Messaging } from '@svc/messaging';
import {
  auditOutboxProvider,
  connectionProviders,
  databaseModule,
  HealthController,
  outboxProvider,
  RetentionService,
} from '@svc/service';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { BillingConfig, readConfig } from './config.js';
import { BlockReporter } from './provider/block-reporter.js';
import { ProviderConsumer } from './provider/provider.consumer.js';
import { PROVIDER, ProviderService } from './provider/provider.service.js';
import { ProviderSync } from './provider/provider-sync.js';
import { ProviderTasks } from './provider/provider-tasks.js';
import { StripeProvider } from './provider/stripe-provider.js';
import { ChangePublisher } from './subscriptions/change-publisher.js';
import { Subscription } from './subscriptions/subscription.entity.js';
import { SubscriptionsConsumer } from './subscriptions/subscriptions.consumer.js';
import { SubscriptionsService } from './subscriptions/subscriptions.service.js';
import { LedgerService } from './usage/ledger.service.js';
import { UsageConsumer } from './usage/usage.consumer.js';
import { UsageService } from './usage/usage.service.js';

/** Usage never takes all connections: a send waits for one to learn whether it is paid for. */
const RECORDED_AT_A_TIME = 4;

/** What is old, by table: a call once it is on the invoices of a year, a webhook once no repeat of it can come. */
const OLD: Record<string, string> = {
  usage_event: `recorded_at < now - interval '400 days'`,
  usage_day: 'day < today - 400',
  provider_event: `done_at IS NOT NULL AND received_at < now - interval '90 days'`,
};

const events = {
  provide: JetStreamStrategy,
  inject: [Messaging],
  useFactory: (messaging: Messaging) =>
    new JetStreamStrategy(messaging, {
      app: 'billing',
      stream: 'events',
      partitioned: false,
      only: LlmCalled,
      maxAckPending: RECORDED_AT_A_TIME,
    }),
};

const retention = {
  provide: RetentionService,
  inject: [DataSource],
  useFactory: (dataSource: DataSource) => new RetentionService(dataSource, OLD),
};

const provider = {
  provide: PROVIDER,
  inject: [BillingConfig],
  useFactory: (config: BillingConfig) =>
    config.stripeKey === undefined ? null : new StripeProvider(config.stripeKey, config),
};

/** The whole wiring of `billing`. */
@Module({
  imports: [databaseModule('billing', readConfig, [Subscription]), TypeOrmModule.forFeature([Subscription])],
  controllers: [HealthController, SubscriptionsConsumer, UsageConsumer, ProviderConsumer],
  providers: [
    ...connectionProviders('billing', BillingConfig, readConfig),
    events,
    outboxProvider,
    auditOutboxProvider,
    ChangePublisher,
    retention,
    provider,
    SubscriptionsService,
    LedgerService,
    UsageService,
    ProviderService,
    ProviderSync,
    BlockReporter,
    ProviderTasks,
  ],
})
export class AppModule {}
