import { Module } from '@nestjs/common';
import { JetStreamStrategy, Messaging } from '@svc/messaging';
import {
  auditOutboxProvider,
  connectionProviders,
  databaseModule,
  HealthController,
  RetentionService,
} from '@svc/service';
import { DataSource } from 'typeorm';
import { LimitsConfig, readConfig } from './config.js';
import { DaysService } from './reservations/days.service.js';
import { ReservationSweeper } from './reservations/reservation-sweeper.js';
import { ReservationsConsumer } from './reservations/reservations.consumer.js';
import { ReservationsService } from './reservations/reservations.service.js';
import { TierPromotionRow } from './tiers/tier-promotion.entity.js';
import { TiersConsumer } from './tiers/tiers.consumer.js';
import { TiersService } from './tiers/tiers.service.js';
import { Warmup } from './tiers/warmup.entity.js';
import { LlmCallsService } from './usage/llm-calls.service.js';
import { MessageCountsService } from './usage/message-counts.service.js';
import { UsageConsumer } from './usage/usage.consumer.js';
import { HealthConsumer } from './warmup/health.consumer.js';
import { HealthRepository } from './warmup/health.repository.js';
import { WarmupTicker } from './warmup/warmup-ticker.js';
import { WarmupService } from './warmup/warmup.service.js';

const jetStreamStrategy = {
  provide: JetStreamStrategy,
  inject: [Messaging],
  useFactory: (messaging: Messaging) =>
    new JetStreamStrategy(messaging, { app: 'limits', stream: 'events', partitioned: false }),
};

/**
 * What is old, by table: a reservation once no repeat of its send can come and its month is over, and a call of a model
 * likewise; health beyond the window that numbers are judged by, counters after what a year's comparison needs. A unit that
 * is held stays.
 */
const OLD: Record<string, string> = {
  reservation: `day < today - 35 AND state <> 'held'`,
  llm_call: 'day < today - 35',
  warmup_contact: `greatest(sent_at, replied_at) < now - interval '60 days'`,
  warmup_mishap: `at < now - interval '60 days'`,
  warmup_day: 'day < today - 400',
  quota: 'day < today - 400',
};

const retention = {
  provide: RetentionService,
  inject: [DataSource],
  useFactory: (dataSource: DataSource) => new RetentionService(dataSource, OLD),
};

/** The whole wiring of `limits`. */
@Module({
  imports: [databaseModule('limits', readConfig, [Warmup, TierPromotionRow])],
  controllers: [HealthController, ReservationsConsumer, TiersConsumer, HealthConsumer, UsageConsumer],
  providers: [
    ...connectionProviders('limits', LimitsConfig, readConfig),
    jetStreamStrategy,
    auditOutboxProvider,
    DaysService,
    ReservationSweeper,
    ReservationsService,
    TiersService,
    LlmCallsService,
    MessageCountsService,
    HealthRepository,
    WarmupService,
    WarmupTicker,
    retention,
  ],
})
export class AppModule {}
