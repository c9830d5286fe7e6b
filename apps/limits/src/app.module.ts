import { Module } from '@nestjs/common';
import { JetStreamStrategy, Messaging } from '@svc/messaging';
import { connectionProviders, databaseModule, HealthController, OutboxService } from '@svc/service';
import { DataSource } from 'typeorm';
import { LimitsConfig, readConfig } from './config.js';
import { DaysService } from './reservations/days.service.js';
import { ReservationSweeper } from './reservations/reservation-sweeper.js';
import { ReservationsConsumer } from './reservations/reservations.consumer.js';
import { ReservationsService } from './reservations/reservations.service.js';
import { RetentionService } from './retention/retention.service.js';
import { TierPromotionRow } from './tiers/tier-promotion.entity.js';
import { TiersConsumer } from './tiers/tiers.consumer.js';
import { TiersService } from './tiers/tiers.service.js';
import { Warmup } from './tiers/warmup.entity.js';
import { HealthConsumer } from './warmup/health.consumer.js';
import { HealthRepository } from './warmup/health.repository.js';
import { WarmupTicker } from './warmup/warmup-ticker.js';
import { WarmupService } from './warmup/warmup.service.js';

/** Settling never takes all connections: `reserve` waits for one while a customer waits for the answer. */
const SETTLED_AT_A_TIME = 8;

const jetStreamStrategy = {
  provide: JetStreamStrategy,
  inject: [Messaging],
  useFactory: (messaging: Messaging) =>
    new JetStreamStrategy(messaging, {
      app: 'limits',
      stream: 'events',
      partitioned: false,
      maxAckPending: SETTLED_AT_A_TIME,
    }),
};

const outbox = {
  provide: OutboxService,
  inject: [DataSource, Messaging],
  useFactory: (dataSource: DataSource, messaging: Messaging) => new OutboxService(dataSource, messaging),
};

/** The whole wiring of `limits`. */
@Module({
  imports: [databaseModule('limits', readConfig, [Warmup, TierPromotionRow])],
  controllers: [HealthController, ReservationsConsumer, TiersConsumer, HealthConsumer],
  providers: [
    ...connectionProviders('limits', LimitsConfig, readConfig),
    jetStreamStrategy,
    outbox,
    DaysService,
    ReservationSweeper,
    ReservationsService,
    TiersService,
    HealthRepository,
    WarmupService,
    WarmupTicker,
    RetentionService,
  ],
})
export class AppModule {}
