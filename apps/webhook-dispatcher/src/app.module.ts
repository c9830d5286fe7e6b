import { Module, type Provider } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DispatcherPartitionFreed, STREAM_READERS } from '@svc/contracts';
import { JetStreamStrategy, Messaging } from '@svc/messaging';
import { AddressGuard, OutboundHttp } from '@svc/outbound-http';
import { leasesModule, ownershipProviders } from '@svc/ownership';
import {
  auditOutboxProvider,
  connectionProviders,
  databaseModule,
  erasedContactsProvider,
  LongReads,
  outboxProvider,
  PeriodicTasks,
  Retention,
  SealedTables,
  SecretBox,
} from '@svc/service';
import { DataSource } from 'typeorm';
import { AttemptService } from './attempts/attempt.service.js';
import { DeliveryDispatcher, EndpointGate } from './attempts/delivery-dispatcher.js';
import { ResultRepository } from './attempts/result.repository.js';
import { BoundEndpointsConsumer } from './bound/bound-endpoints.consumer.js';
import { BoundEndpointsService } from './bound/bound-endpoints.service.js';
import { FailoversService } from './bound/failovers.service.js';
import { SessionDeletionsService } from './bound/session-deletions.service.js';
import { DispatcherConfig, readConfig } from './config.js';
import { DeliveriesConsumer } from './deliveries/deliveries.consumer.js';
import { DeliveriesService } from './deliveries/deliveries.service.js';
import { EndpointActionsConsumer } from './actions/endpoint-actions.consumer.js';
import { EndpointActionsService } from './actions/endpoint-actions.service.js';
import { EndpointDirectory } from './endpoints/endpoint-directory.js';
import { EndpointHealthService } from './endpoints/endpoint-health.service.js';
import { EndpointSecrets } from './endpoints/endpoint-secrets.js';
import { EndpointTestService } from './actions/endpoint-test.service.js';
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
import { ReplayRepository } from './replays/replay.repository.js';
import { ReplayRunner } from './replays/replay-runner.js';
import { ReplaysConsumer } from './replays/replays.consumer.js';
import { ReplaysService } from './replays/replays.service.js';
import { retentionRules } from './retention/retention-rules.js';
import { PartitionsService } from './running/partitions.service.js';
import { SuspensionsService } from './tenants/suspensions.service.js';
import { TenantDeletionService } from './tenants/tenant-deletion.service.js';
import { TenantsConsumer } from './tenants/tenants.consumer.js';

const NAME = 'webhook-dispatcher';
/** No POST starts in the last 12 s of a lease: an attempt lasts up to 10 s, and its result must still be ours to write. */
const LEASE = { leaseMs: 30_000, renewMs: 5_000, selfStopMs: 18_000 };
const RETENTION_MS = 600_000;

const configured: Provider[] = [
  {
    provide: Retention,
    useFactory: (dataSource: DataSource, tasks: PeriodicTasks, config: DispatcherConfig) =>
      new Retention(dataSource, tasks, retentionRules(config), { everyMs: RETENTION_MS }),
    inject: [DataSource, PeriodicTasks, DispatcherConfig],
  },
  {
    provide: SecretBox,
    useFactory: ({ secretsKey, secretsKeysPrevious }: DispatcherConfig) =>
      new SecretBox(secretsKey, ...secretsKeysPrevious),
    inject: [DispatcherConfig],
  },
  {
    provide: SealedTables,
    useFactory: (dataSource: DataSource, tasks: PeriodicTasks, secrets: EndpointSecrets) =>
      new SealedTables(dataSource, tasks, [secrets.table]),
    inject: [DataSource, PeriodicTasks, EndpointSecrets],
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
  erasedContactsProvider(DispatcherConfig),
  { provide: Lanes, useFactory: () => new Lanes() },
  {
    provide: JetStreamStrategy,
    useFactory: (messaging: Messaging, ingest: IngestService) =>
      new JetStreamStrategy(messaging, {
        ...STREAM_READERS.dispatcher,
        take: ingest.take.bind(ingest),
        // The bound holds for the messages of each of the 64 partitions that wait in memory.
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
    EndpointsConsumer,
    EndpointActionsConsumer,
    BoundEndpointsConsumer,
    DeliveriesConsumer,
    ReplaysConsumer,
    EventsConsumer,
    ErasureConsumer,
    TenantsConsumer,
  ],
  providers: [
    ...connectionProviders(NAME, DispatcherConfig, readConfig),
    ...ownershipProviders(NAME, () => ({
      ...LEASE,
      owner: readConfig().workerName,
      freed: DispatcherPartitionFreed,
    })),
    ...configured,
    LongReads,
    EndpointSecrets,
    EndpointRepository,
    EndpointDirectory,
    EndpointChanges,
    EndpointsService,
    BoundEndpointsService,
    SessionDeletionsService,
    FailoversService,
    EndpointActionsService,
    EndpointTestService,
    EndpointHealthService,
    ErasureService,
    EventRepository,
    IngestService,
    EventLogService,
    ContactEventsService,
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
    PartitionsService,
    DeliveriesService,
    ReplayRepository,
    ReplayRunner,
    ReplaysService,
    SuspensionsService,
    TenantDeletionService,
  ],
})
export class AppModule {}
