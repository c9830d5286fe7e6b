import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AddressGuard } from '@svc/outbound-http';
import { MessageReceived } from '@svc/contracts';
import { MEDIA_STORE, openMediaStore } from '@svc/media-store';
import { JetStreamStrategy, Messaging, OwnerLine } from '@svc/messaging';
import {
  auditOutboxProvider,
  connectionProviders,
  databaseModule,
  HealthController,
  leasesModule,
  OutboxService,
  READINESS,
} from '@svc/service';
import { DataSource } from 'typeorm';
import { readConfig, WorkerConfig } from './config.js';
import { ContactAddresses } from './erasure/contact-addresses.js';
import { ErasureConsumer } from './erasure/erasure.consumer.js';
import { ErasureService } from './erasure/erasure.service.js';
import { MediaService } from './inbound/media.service.js';
import { KeyWriter } from './credentials/key-writer.js';
import { SessionStores } from './credentials/session-stores.js';
import { Vault } from './credentials/vault.js';
import { Proxies } from './platform/proxy.js';
import { OwnershipService } from './ownership/ownership.service.js';
import { PartitionDoors } from './ownership/partition-doors.js';
import { SessionSweeper } from './ownership/session-sweeper.js';
import { OwnerAnswers } from './runners/owner-answers.js';
import { RunnersService } from './runners/runners.service.js';
import { SessionLogins } from './runners/session-logins.js';
import { FileFetcher } from './sending/file-fetcher.js';
import { OutgoingFiles } from './sending/outgoing-files.js';
import { Claims } from './sending/claims.js';
import { ReceiptWriter } from './sending/receipt-writer.js';
import { EndingsService } from './sending/endings.service.js';
import { SendingConsumer } from './sending/sending.consumer.js';
import { SendingService } from './sending/sending.service.js';
import { SessionSenders } from './sending/session-senders.js';
import { Session } from './sessions/session.entity.js';
import { LiveService } from './sessions/live.service.js';
import { SessionRoutes } from './sessions/session-routes.js';
import { SessionsConsumer } from './sessions/sessions.consumer.js';
import { RetentionService } from './sessions/retention.service.js';
import { SessionsService } from './sessions/sessions.service.js';
import { atStep } from './steps.js';

const NAME = 'session-worker';
const POOL_SIZE = 20;

/** The whole wiring of `session-worker`. */
@Module({
  imports: [
    databaseModule('sessions', readConfig, [Session], POOL_SIZE),
    leasesModule('sessions', readConfig),
    TypeOrmModule.forFeature([Session]),
  ],
  controllers: [HealthController, SessionsConsumer, SendingConsumer, ErasureConsumer],
  providers: [
    ...connectionProviders(NAME, WorkerConfig, readConfig),
    {
      provide: JetStreamStrategy,
      useFactory: (messaging: Messaging) =>
        new JetStreamStrategy(messaging, { app: NAME, stream: 'commands', partitioned: true }),
      inject: [Messaging],
    },
    {
      provide: OwnerLine,
      useFactory: (messaging: Messaging) => new OwnerLine(messaging, NAME),
      inject: [Messaging],
    },
    {
      provide: Vault,
      useFactory: (config: WorkerConfig) => new Vault(config.credentialsKey),
      inject: [WorkerConfig],
    },
    { provide: MEDIA_STORE, useFactory: openMediaStore, inject: [WorkerConfig] },
    {
      provide: Proxies,
      useFactory: (config: WorkerConfig) => new Proxies(new AddressGuard(config)),
      inject: [WorkerConfig],
    },
    {
      provide: READINESS,
      useFactory: (ownership: OwnershipService) => () => ownership.assertHealthy(),
      inject: [OwnershipService],
    },
    auditOutboxProvider,
    ContactAddresses,
    ErasureService,
    KeyWriter,
    LiveService,
    MediaService,
    {
      provide: FileFetcher,
      useFactory: (config: WorkerConfig) => new FileFetcher(new AddressGuard(config)),
      inject: [WorkerConfig],
    },
    {
      provide: OutboxService,
      useFactory: (dataSource: DataSource, messaging: Messaging) =>
        new OutboxService(dataSource, messaging, ({ type }) =>
          atStep(type === MessageReceived.name ? 'in-5' : 'out-12'),
        ),
      inject: [DataSource, Messaging],
    },
    OwnerAnswers,
    OutgoingFiles,
    OwnershipService,
    PartitionDoors,
    Claims,
    ReceiptWriter,
    RetentionService,
    RunnersService,
    SendingService,
    EndingsService,
    SessionLogins,
    SessionRoutes,
    SessionSenders,
    SessionStores,
    SessionsService,
    SessionSweeper,
  ],
})
export class AppModule {}
