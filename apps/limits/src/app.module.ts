import { Module } from '@nestjs/common';
import { STREAM_READERS } from '@svc/contracts';
import { JetStreamStrategy, Messaging } from '@svc/messaging';
import {
  auditOutboxProvider,
  connectionProviders,
  databaseModule,
  PeriodicTasks,
  Retention,
} from '@svc/service';
import { DataSource } from 'typeorm';
import { CapsService } from './caps/caps.service.js';
import { LimitsConfig, readConfig } from './config.js';
import { DaysService } from './reservations/days.service.js';
import { ReservationSweeper } from './reservations/reservation-sweeper.js';
import { ReservationsConsumer } from './reservations/reservations.consumer.js';
import { ReservationsService } from './reservations/reservations.service.js';
import { RETENTION_RULES } from './retention-rules.js';
import { NumbersService } from './tiers/numbers.service.js';
import { TenantDeletionService } from './tenants/tenant-deletion.service.js';
import { TenantsConsumer } from './tenants/tenants.consumer.js';
import { TierPromotionRow } from './tiers/tier-promotion.entity.js';
import { TiersConsumer } from './tiers/tiers.consumer.js';
import { TiersService } from './tiers/tiers.service.js';
import { Warmup } from './tiers/warmup.entity.js';
import { LlmCallsService } from './usage/llm-calls.service.js';
import { MessageCountsService } from './usage/message-counts.service.js';
import { UsageConsumer } from './usage/usage.consumer.js';
import { ContactHash } from './warmup/contact-hash.js';
import { ErasureConsumer } from './warmup/erasure.consumer.js';
import { HealthConsumer } from './warmup/health.consumer.js';
import { HealthRepository, HealthService } from './warmup/health.service.js';
import { WarmupConsumer } from './warmup/warmup.consumer.js';
import { WarmupTicker } from './warmup/warmup-ticker.js';
import { WarmupService } from './warmup/warmup.service.js';

const jetStreamStrategy = {
  provide: JetStreamStrategy,
  inject: [Messaging],
  useFactory: (messaging: Messaging) => new JetStreamStrategy(messaging, STREAM_READERS.limits),
};

const retention = {
  provide: Retention,
  inject: [DataSource, PeriodicTasks],
  useFactory: (dataSource: DataSource, tasks: PeriodicTasks) =>
    new Retention(dataSource, tasks, RETENTION_RULES),
};

/** The whole wiring of `limits`. */
@Module({
  imports: [databaseModule('limits', readConfig, [Warmup, TierPromotionRow])],
  controllers: [
    ReservationsConsumer,
    TiersConsumer,
    WarmupConsumer,
    HealthConsumer,
    UsageConsumer,
    TenantsConsumer,
    ErasureConsumer,
  ],
  providers: [
    ...connectionProviders('limits', LimitsConfig, readConfig),
    jetStreamStrategy,
    auditOutboxProvider,
    CapsService,
    DaysService,
    ReservationSweeper,
    ReservationsService,
    TiersService,
    NumbersService,
    LlmCallsService,
    MessageCountsService,
    TenantDeletionService,
    ContactHash,
    HealthRepository,
    HealthService,
    WarmupService,
    WarmupTicker,
    retention,
  ],
})
export class AppModule {}
