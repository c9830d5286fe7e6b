import type { DynamicModule, Provider } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { schemaDataSource } from '@svc/database';
import { Messaging, RpcClient } from '@svc/messaging';
import type { MixedList } from 'typeorm';
import { ServiceConfig } from '../config/service-config.js';
import { PeriodicTasks } from '../tasks/periodic-tasks.js';

/** Renewing, taking and giving back may go on at once. */
const LEASE_CONNECTIONS = 3;
const PATIENCE = { retryAttempts: 120, retryDelay: 500 };

/** Lists the providers that every service needs: its configuration (also as `ServiceConfig`), NATS, a client for requests, and its periodic tasks. */
export function connectionProviders<T extends ServiceConfig>(
  name: string,
  configType: new () => T,
  readConfig: () => T,
): Provider[] {
  return [
    { provide: configType, useFactory: readConfig },
    { provide: ServiceConfig, useExisting: configType },
    { provide: Messaging, useFactory: () => Messaging.connect({ url: readConfig().natsUrl, name }) },
    {
      provide: RpcClient,
      useFactory: (messaging: Messaging) => RpcClient.of(messaging),
      inject: [Messaging],
    },
    PeriodicTasks,
  ];
}

/** Connects TypeORM to the service's own schema; waits for a database that is not there yet. */
export function databaseModule(
  schema: string,
  readConfig: () => ServiceConfig,
  entities: MixedList<new () => object>,
  poolSize?: number,
): DynamicModule {
  return TypeOrmModule.forRootAsync({
    useFactory: () => ({
      ...schemaDataSource({
        url: readConfig().databaseUrl,
        schema,
        entities,
        ...(poolSize ? { poolSize } : {}),
      }),
      ...PATIENCE,
    }),
  });
}

/** Name of the data source of `leasesModule`, for `@InjectDataSource`. */
export const LEASES = 'leases';

/**
 * Opens connections for the leases of a service that owns partitions: where hundreds of statements wait for a connection, a
 * renewal that waits behind them comes too late, and what follows from lost leases makes the queue longer.
 */
export function leasesModule(schema: string, readConfig: () => ServiceConfig): DynamicModule {
  return TypeOrmModule.forRootAsync({
    name: LEASES,
    useFactory: () => ({
      ...schemaDataSource({
        url: readConfig().databaseUrl,
        schema,
        entities: [],
        poolSize: LEASE_CONNECTIONS,
        applicationName: `svc-${schema}-leases`,
      }),
      ...PATIENCE,
    }),
  });
}
