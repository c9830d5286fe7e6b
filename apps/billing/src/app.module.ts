import { Module } from '@nestjs/common';
import { STREAM_READERS } from '@svc/contracts';
import { JetStreamStrategy, Messaging } from '@svc/messaging';
import {
  auditOutboxProvider,
  connectionProviders,
  databaseModule,
  outboxProvider,
  PeriodicTasks,
  Retention,
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
import { RETENTION_RULES } from './retention-rules.js';
import { ChangePublisher } from './subscriptions/change-publisher.js';
import { OverridesConsumer } from './subscriptions/overrides.consumer.js';
import { OverridesService } from './subscriptions/overrides.service.js';
import { Subscription } from './subscriptions/subscription.entity.js';
import { SubscriptionsConsumer } from './subscriptions/subscriptions.consumer.js';
import { SubscriptionsService } from './subscriptions/subscriptions.service.js';
import { TenantDeletionService } from './tenants/tenant-deletion.service.js';
import { TenantsConsumer } from './tenants/tenants.consumer.js';
import { LedgerService } from './usage/ledger.service.js';
import { UsageConsumer } from './usage/usage.consumer.js';
import { UsageService } from './usage/usage.service.js';

/** Usage never takes all connections: a send waits for one to learn whether it is paid for. */
const RECORDED_AT_A_TIME = 4;

const events = {
  provide: JetStreamStrategy,
  inject: [Messaging],
  useFactory: (messaging: Messaging) =>
    new JetStreamStrategy(messaging, {
      ...STREAM_READERS.billing,
      maxAckPending: RECORDED_AT_A_TIME,
    }),
};

const retention = {
  provide: Retention,
  inject: [DataSource, PeriodicTasks],
  useFactory: (dataSource: DataSource, tasks: PeriodicTasks) =>
    new Retention(dataSource, tasks, RETENTION_RULES),
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
  controllers: [SubscriptionsConsumer, OverridesConsumer, UsageConsumer, ProviderConsumer, TenantsConsumer],
  providers: [
    ...connectionProviders('billing', BillingConfig, readConfig),
    events,
    outboxProvider,
    auditOutboxProvider,
    ChangePublisher,
    retention,
    provider,
    TenantDeletionService,
    SubscriptionsService,
    OverridesService,
    LedgerService,
    UsageService,
    ProviderService,
    ProviderSync,
    BlockReporter,
    ProviderTasks,
  ],
})
export class AppModule {}
