import type { DynamicModule, Provider } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { schemaDataSource } from '@svc/database';
import { Messaging, RpcClient } from '@svc/messaging';
import type { MixedList } from 'typeorm';
import { ServiceConfig } from './service-config.js';

/** Providers every service needs: its configuration (also as `ServiceConfig`), NATS, and a client for requests. */
export function connectionProviders<T extends ServiceConfig>(
  name: string,
  configType: new () => T,
  readConfig: () => T,
): Provider[] {
  return [
    { provide: configType, useFactory: readConfig },
    { provide: ServiceConfig, useExisting: configType },
    { provide: Messaging, useFactory: () => Messaging.connect({ url: readConfig().natsUrl, name }) },
    { provide: RpcClient, useFactory: () => new RpcClient(readConfig().natsUrl, `${name}-client`) },
  ];
}

/** The service's own schema through TypeORM; waits for a database that is not there yet. */
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
      retryAttempts: 120,
      retryDelay: 500,
    }),
  });
}
