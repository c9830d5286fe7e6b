export {
  AUDIT_OUTBOX_SQL,
  AUDIT_STEPS_CHANNEL,
  auditFactOf,
  AuditOutbox,
  auditOutboxProvider,
  type AuditStep,
  insertAuditFacts,
  type NewAuditFact,
} from './audit-outbox.js';
export {
  ConfigError,
  configReader,
  Env,
  type EnvOptions,
  type EnvVariable,
  envVariables,
  loadConfig,
} from './config/config.js';
export { EnvNumbers, EnvWords } from './config/env-list.js';
export { IsRandomKey } from './config/safe-servers.js';
export { SealingKey, SealingKeysPrevious } from './config/sealing-key.js';
export { ContactHashKey, ContactHashKeyPrevious } from './config/contact-hash-key.js';
export { type ContactHashKeys, type HashedContact, keyedHash } from './contact-hash.js';
export {
  countErased,
  ERASED_CONTACTS_RULE,
  ERASED_CONTACTS_SQL,
  ErasedContacts,
  erasedContactsProvider,
  type ErasureProgress,
  forgetErasures,
  isErasedSql,
  isNamedInContentSql,
  isOnCardSql,
  namesOf,
  timeOfInbound,
  withoutContactSql,
  withoutMentionSql,
} from './erased-contacts.js';
export { messageError, toAppError } from './start/error-filters.js';
export { counter, gauge, metricsText } from './metrics.js';
export { LEASE_CONNECTIONS } from './start/check-up.js';
export { OPS_PAGES, type OpsPages, OpsServer, type Readiness, READINESS } from './start/ops-server.js';
export { connectionProviders, DATABASE_PATIENCE, databaseModule } from './start/infrastructure.js';
export {
  eventOf,
  insertEvents,
  type OutboxRows,
  outboxProvider,
  outboxRows,
  OutboxService,
} from './outbox.js';
export { TOLD_EVENTS_SQL } from './told-events.js';
export { log, NestLogger, refusalWords, setUpLogger, silenceConsole } from './logging/logger.js';
export { FairPlaces, type Place } from './tasks/fair-places.js';
export { LongReads } from './tasks/long-reads.js';
export { KeyedPaces, Pace } from './tasks/pace.js';
export { PeriodicTask } from './tasks/periodic-task.js';
export { PeriodicTasks } from './tasks/periodic-tasks.js';
export { SerialQueue, SerialQueues } from './tasks/serial-queue.js';
export {
  Retention,
  type RetentionOptions,
  type RetentionRule,
  ruleOfMovedClocks,
} from './tasks/retention.js';
export { requestIdOf } from './start/request-id.js';
export { runMigrations } from './start/run-migrations.js';
export {
  headerOf,
  SecretBox,
  type SecretKey,
  secretKey,
  type SecretKeyBytes,
  type SecretPlace,
} from './secrets/secret-box.js';
export { type SealedTable, SealedTables } from './secrets/sealed-tables.js';
export { natsAccess, NatsConfig } from './config/nats-config.js';
export { ServiceConfig } from './config/service-config.js';
export { bootService, type HttpOptions, startService, type StartOptions } from './start/start-service.js';
export { crashSteps } from './crash-steps.js';
export { deleteTenantRows, OF_SESSIONS, OF_TENANT, OUTBOX_ROWS, type TenantRows } from './tenant-rows.js';
export { startTimeLimit, type TimeLimit } from './tasks/time-limit.js';
export { UnderWay } from './tasks/under-way.js';
