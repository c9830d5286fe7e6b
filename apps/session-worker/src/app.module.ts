import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AddressGuard } from '@svc/outbound-http';
import { MessageReceived, STREAM_READERS, WorkerPartitionFreed } from '@svc/contracts';
import { MEDIA_STORE, type MediaStore, openMediaStore } from '@svc/media-store';
import { JetStreamStrategy, Messaging } from '@svc/messaging';
import { leasesModule, type OwnerOptions, ownershipProviders } from '@svc/ownership';
import {
  auditOutboxProvider,
  connectionProviders,
  databaseModule,
  erasedContactsProvider,
  OPS_PAGES,
  type OpsPages,
  OutboxService,
  PeriodicTasks,
  Retention,
  SealedTables,
} from '@svc/service';
import { DataSource } from 'typeorm';
import { readConfig, WorkerConfig } from './config.js';
import { sealedTables } from './credentials/sealed-tables.js';
import { Vault } from './credentials/vault.js';
import { ContactAddresses } from './erasure/contact-addresses.js';
import { ErasureConsumer } from './erasure/erasure.consumer.js';
import { ErasureService } from './erasure/erasure.service.js';
import { SuspensionsService } from './tenants/suspensions.service.js';
import { TenantDeletionService } from './tenants/tenant-deletion.service.js';
import { TenantsConsumer } from './tenants/tenants.consumer.js';
import { KeyWriter } from './journal/key-writer.js';
import { SessionStores } from './journal/session-stores.js';
import { MediaRoom } from './media/media-room.js';
import { MediaService } from './media/media.service.js';
import { Platform } from './platform/port.js';
import { Proxies } from './platform/proxy.js';
import { unhandledStanzas } from './platform/unhandled-stanzas.js';
import { WhatsAppPlatform } from './platform/whatsapp/whatsapp-platform.js';
import { OwnerAnswers } from './runners/owner-answers.js';
import { PartitionsService } from './runners/partitions.service.js';
import { RunnerFactory } from './runners/runner-factory.js';
import { RunnersConsumer } from './runners/runners.consumer.js';
import { RunnersService } from './runners/runners.service.js';
import { SessionLogins } from './runners/session-logins.js';
import { SessionSweeper } from './runners/session-sweeper.js';
import { EndingsService } from './sending/endings.service.js';
import { FileFetcher } from './sending/files/file-fetcher.js';
import { OutgoingFiles } from './sending/files/outgoing-files.js';
import { OutgoingFolder } from './sending/files/outgoing-folder.js';
import { Ledger } from './sending/ledger/ledger.js';
import { ReceiptWriter } from './sending/ledger/receipt-writer.js';
import { SendingConsumer } from './sending/sending.consumer.js';
import { SendingService } from './sending/sending.service.js';
import { SessionSenders } from './sending/session-senders.js';
import { LiveService } from './sessions/live.service.js';
import { VersionTrials } from './runners/versions/version-trials.js';
import { retentionRules } from './sessions/retention-rules.js';
import { Session } from './sessions/session.entity.js';
import { SessionRoutes } from './sessions/session-routes.js';
import { SessionsConsumer } from './sessions/sessions.consumer.js';
import { BotModesService } from './sessions/bot-modes.service.js';
import { SessionsService } from './sessions/sessions.service.js';
import { atStep } from './steps.js';
import { VersionsConsumer } from './versions/versions.consumer.js';
import { versionProviders } from './versions/version-providers.js';

const NAME = 'session-worker';

function ownerOptions(): OwnerOptions {
  const { workerName, leaseMs } = readConfig();
  const times = { leaseMs, renewMs: leaseMs / 3, selfStopMs: (leaseMs * 2) / 3 };
  return { ...times, owner: workerName, freed: WorkerPartitionFreed };
}

/** Pages for support: what the platform sends and nobody handles. */
const opsPages: OpsPages = { '/unhandled-stanzas': () => ({ items: unhandledStanzas.shapes() }) };

/** Wires the whole of `session-worker`. */
@Module({
  imports: [
    databaseModule('sessions', readConfig, [Session]),
    leasesModule('sessions', readConfig),
    TypeOrmModule.forFeature([Session]),
  ],
  controllers: [
    SessionsConsumer,
    SendingConsumer,
    RunnersConsumer,
    ErasureConsumer,
    TenantsConsumer,
    VersionsConsumer,
  ],
  providers: [
    ...connectionProviders(NAME, WorkerConfig, readConfig),
    ...ownershipProviders(NAME, ownerOptions),
    { provide: OPS_PAGES, useValue: opsPages },
    {
      provide: JetStreamStrategy,
      useFactory: (messaging: Messaging) => new JetStreamStrategy(messaging, STREAM_READERS.worker),
      inject: [Messaging],
    },
    {
      provide: Vault,
      useFactory: (config: WorkerConfig) =>
        new Vault(config.credentialsKey, ...config.credentialsKeysPrevious),
      inject: [WorkerConfig],
    },
    {
      provide: SealedTables,
      useFactory: (dataSource: DataSource, tasks: PeriodicTasks, vault: Vault) =>
        new SealedTables(dataSource, tasks, sealedTables(vault)),
      inject: [DataSource, PeriodicTasks, Vault],
    },
    { provide: MEDIA_STORE, useFactory: openMediaStore, inject: [WorkerConfig] },
    {
      provide: Proxies,
      useFactory: (config: WorkerConfig) => new Proxies(new AddressGuard(config)),
      inject: [WorkerConfig],
    },
    auditOutboxProvider,
    erasedContactsProvider(WorkerConfig),
    ContactAddresses,
    ErasureService,
    SuspensionsService,
    TenantDeletionService,
    KeyWriter,
    BotModesService,
    LiveService,
    MediaRoom,
    MediaService,
    {
      provide: FileFetcher,
      useFactory: (config: WorkerConfig) => new FileFetcher(new AddressGuard(config)),
      inject: [WorkerConfig],
    },
    {
      provide: OutboxService,
      useFactory: (dataSource: DataSource, messaging: Messaging, tasks: PeriodicTasks) =>
        new OutboxService(dataSource, messaging, tasks, ({ type }) =>
          atStep(type === MessageReceived.name ? 'in-5' : 'out-12'),
        ),
      inject: [DataSource, Messaging, PeriodicTasks],
    },
    OwnerAnswers,
    OutgoingFiles,
    OutgoingFolder,
    PartitionsService,
    { provide: Platform, useClass: WhatsAppPlatform },
    RunnerFactory,
    Ledger,
    ReceiptWriter,
    {
      provide: Retention,
      useFactory: (dataSource: DataSource, tasks: PeriodicTasks, config: WorkerConfig, store: MediaStore) =>
        new Retention(dataSource, tasks, retentionRules(config.retentionDays, store)),
      inject: [DataSource, PeriodicTasks, WorkerConfig, MEDIA_STORE],
    },
    RunnersService,
    SendingService,
    EndingsService,
    SessionLogins,
    SessionRoutes,
    SessionSenders,
    SessionStores,
    SessionsService,
    SessionSweeper,
    VersionTrials,
    ...versionProviders,
  ],
})
export class AppModule {}
