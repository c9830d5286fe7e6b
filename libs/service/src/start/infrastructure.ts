import type { DynamicModule, Provider } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { schemaDataSource } from '@svc/database';
import { Messaging, RpcClient } from '@svc/messaging';
import { DataSource, type MixedList } from 'typeorm';
import { natsAccess } from '../config/nats-config.js';
import { ServiceConfig } from '../config/service-config.js';
import { OpsServer } from './ops-server.js';
import { PeriodicTasks } from '../tasks/periodic-tasks.js';
import { CheckUp } from './check-up.js';

/** Tries of a service that starts to reach its database: for a minute. */
export const DATABASE_PATIENCE = { retryAttempts: 120, retryDelay: 500 };

/** Lists the providers that every service needs: its configuration (also as `ServiceConfig`), NATS, a client for requests, its periodic tasks, the port for probes, and its answer to check-ups. */
export function connectionProviders<T extends ServiceConfig>(
  name: string,
  configType: new () => T,
  readConfig: () => T,
): Provider[] {
  return [
    { provide: configType, useFactory: readConfig },
    { provide: ServiceConfig, useExisting: configType },
    {
      provide: Messaging,
      useFactory: () => {
        const config = readConfig();
        return Messaging.connect({ ...natsAccess(config), name, streamReplicas: config.natsStreamReplicas });
      },
    },
    {
      provide: RpcClient,
      useFactory: (messaging: Messaging) => RpcClient.of(messaging),
      inject: [Messaging],
    },
    PeriodicTasks,
    OpsServer,
    {
      provide: CheckUp,
      useFactory: (messaging: Messaging, config: ServiceConfig, dataSource?: DataSource) =>
        new CheckUp(name, messaging, config, dataSource),
      inject: [Messaging, ServiceConfig, { token: DataSource, optional: true }],
    },
  ];
}

/** Connects TypeORM to the service's own schema; waits for a database that is not there yet. */
export function databaseModule(
  schema: string,
  readConfig: () => ServiceConfig,
  entities: MixedList<new () => object>,
): DynamicModule {
  return TypeOrmModule.forRootAsync({
    useFactory: () => {
      const { databaseUrl: url, databasePool: poolSize } = readConfig();
      return { ...schemaDataSource({ url, schema, entities, poolSize }), ...DATABASE_PATIENCE };
    },
  });
}
