export {
  ConfigError,
  configReader,
  Env,
  type EnvOptions,
  type EnvVariable,
  envVariables,
  loadConfig,
} from './config.js';
export { EnvNumbers, EnvWords } from './env-list.js';
export {
  contactHash,
  countErased,
  ERASED_CONTACTS_SQL,
  type ErasureProgress,
  forgetErasures,
  isErasedSql,
  namesOf,
  noteErasure,
  timeOfInbound,
} from './erased-contacts.js';
export { ContractPipe } from './contract-pipe.js';
export { HttpErrorFilter, messageError, RpcErrorFilter, sendError, toAppError } from './error-filters.js';
export { HealthController, type Readiness, READINESS } from './health.js';
export { connectionProviders, databaseModule, LEASES, leasesModule } from './infrastructure.js';
export {
  eventOf,
  insertEvents,
  type OutboxRows,
  outboxProvider,
  outboxRows,
  OutboxService,
} from './outbox.js';
export { log, NestLogger, setUpLogger, silenceConsole } from './logger.js';
export { Pace } from './pace.js';
export { PeriodicTask } from './periodic-task.js';
export { RetentionService } from './retention.js';
export { runMigrations } from './run-migrations.js';
export { SecretBox, type SecretPlace } from './secret-box.js';
export { MODES, ServiceConfig } from './service-config.js';
export { bootService, startService, type StartOptions } from './start-service.js';
export { stepsOf } from './steps.js';
export { UnderWay } from './under-way.js';
