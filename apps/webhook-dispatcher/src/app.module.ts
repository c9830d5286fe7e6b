import { Module, type Provider } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { JetStreamStrategy, Messaging } from '@svc/messaging';
import { AddressGuard, OutboundHttp } from '@svc/outbound-http';
import {
  auditOutboxProvider,
  connectionProviders,
  databaseModule,
  HealthController,
  leasesModule,
  outboxProvider,
  READINESS,
  SecretBox,
} from '@svc/service';
import { AttemptService } from './attempts/attempt.service.js';
import { DeliveryDispatcher } from './attempts/delivery-dispatcher.js';
import { EndpointGate } from './attempts/endpoint-gate.js';
import { ResultRepository } from './attempts/result.repository.js';
import { BoundEndpointsConsumer } from './bound/bound-endpoints.consumer.js';
import { BoundEndpointsService } from './bound/bound-endpoints.service.js';
import { SessionDeletionsService } from './bound/session-deletions.service.js';
import { DispatcherConfig, readConfig } from './config.js';
import { DeliveriesConsumer } from './deliveries/deliveries.consumer.js';
import { DeliveriesService } from './deliveries/deliveries.service.js';
import { EndpointActionsConsumer } from './endpoints/endpoint-actions.consumer.js';
import { EndpointActionsService } from './endpoints/endpoint-actions.service.js';
import { EndpointDirectory } from './endpoints/endpoint-directory.js';
import { EndpointHealthService } from './endpoints/endpoint-health.service.js';
import { EndpointSecrets } from './endpoints/endpoint-secrets.js';
import { EndpointTestService } from './endpoints/endpoint-test.service.js';
import { Endpoint } from './endpoints/endpoint.entity.js';
import { EndpointRepository } from './endpoints/endpoint.repository.js';
import { EndpointsConsumer } from './endpoints/endpoints.consumer.js';
import { EndpointsService } from './endpoints/endpoints.service.js';
import { ErasureConsumer } from './erasure/erasure.consumer.js';
import { ErasureService } from './erasure/erasure.service.js';
import { ContactEventsService } from './events/contact-events.service.js';
import { EventLogService } from './events/event-log.service.js';
import { EventRepository } from './events/event.repository.js';
import { EventsConsumer } from './events/events.consumer.js';
import { IngestService } from './events/ingest.service.js';
import { HeldRepository } from './holding/held.repository.js';
import { HoldSweeper } from './holding/hold-sweeper.js';
import { DeliveryRepository } from './lanes/delivery.repository.js';
import { DeliveryScheduler } from './lanes/delivery-scheduler.js';
import { DomainClock } from './lanes/domain-clock.js';
import { DueLoader } from './lanes/due-loader.js';
import { Lanes } from './lanes/lanes.js';
import { EndpointChanges } from './ownership/endpoint-changes.js';
import { OwnedPartitions } from './ownership/owned-partitions.js';
import { PartitionLeaseLoop } from './ownership/partition-lease-loop.js';
import { ReplayRepository } from './replays/replay.repository.js';
import { ReplayRunner } from './replays/replay-runner.js';
import { ReplaysConsumer } from './replays/replays.consumer.js';
import { ReplaysService } from './replays/replays.service.js';
import { RetentionService } from './retention/retention.service.js';
import { PartitionOwner } from './running/partition-owner.service.js';

const configured: Provider[] = [
  {
    provide: SecretBox,
    useFactory: ({ secretsKey }: DispatcherConfig) => new SecretBox(secretsKey),
    inject: [DispatcherConfig],
  },
  {
    provide: AddressGuard,
    useFactory: (config: DispatcherConfig) => new AddressGuard(config),
    inject: [DispatcherConfig],
  },
  {
    provide: OutboundHttp,
    useFactory: (guard: AddressGuard) => new OutboundHttp(guard),
    inject: [AddressGuard],
  },
  outboxProvider,
  auditOutboxProvider,
  { provide: Lanes, useFactory: () => new Lanes() },
  {
    provide: READINESS,
    useFactory: (owner: PartitionOwner) => () => owner.assertReady(),
    inject: [PartitionOwner],
  },
  {
    provide: JetStreamStrategy,
    useFactory: (messaging: Messaging, ingest: IngestService) =>
      new JetStreamStrategy(messaging, {
        app: 'webhook-dispatcher',
        stream: 'events',
        partitioned: true,
        take: (event) => ingest.take(event),
        // What is handed out waits in memory, of each of the 64 partitions.
        maxAckPending: 128,
      }),
    inject: [Messaging, IngestService],
  },
];

/** The whole wiring of `webhook-dispatcher`. */
@Module({
  imports: [
    databaseModule('webhooks', readConfig, [Endpoint]),
    leasesModule('webhooks', readConfig),
    TypeOrmModule.forFeature([Endpoint]),
  ],
  controllers: [
    HealthController,
    EndpointsConsumer,
    EndpointActionsConsumer,
    BoundEndpointsConsumer,
    DeliveriesConsumer,
    ReplaysConsumer,
    EventsConsumer,
    ErasureConsumer,
  ],
  providers: [
    ...connectionProviders('webhook-dispatcher', DispatcherConfig, readConfig),
    ...configured,
    EndpointSecrets,
    EndpointRepository,
    EndpointDirectory,
    EndpointChanges,
    EndpointsService,
    BoundEndpointsService,
    SessionDeletionsService,
    EndpointActionsService,
    EndpointTestService,
    EndpointHealthService,
    ErasureService,
    EventRepository,
    IngestService,
    EventLogService,
    ContactEventsService,
    OwnedPartitions,
    DomainClock,
    DeliveryRepository,
    ResultRepository,
    DeliveryScheduler,
    DueLoader,
    HeldRepository,
    HoldSweeper,
    EndpointGate,
    AttemptService,
    DeliveryDispatcher,
    PartitionLeaseLoop,
    PartitionOwner,
    DeliveriesService,
    ReplayRepository,
    ReplayRunner,
    ReplaysService,
    RetentionService,
  ],
})
export class AppModule {}
