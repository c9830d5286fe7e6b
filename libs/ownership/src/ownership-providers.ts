import type { DynamicModule, Provider } from '@nestjs/common';
import { getDataSourceToken, TypeOrmModule } from '@nestjs/typeorm';
import { schemaDataSource } from '@svc/database';
import { Messaging } from '@svc/messaging';
import {
  DATABASE_PATIENCE,
  LEASE_CONNECTIONS,
  READINESS,
  type Readiness,
  type ServiceConfig,
} from '@svc/service';
import type { DataSource } from 'typeorm';
import { OwnerLine } from './owner-line.js';
import { type OwnerOptions, PartitionOwner } from './partition-owner.js';

/** Name of the data source of `leasesModule`, for `@InjectDataSource`. */
export const LEASES = 'leases';

/**
 * Opens connections for the leases of an app that owns partitions: where hundreds of statements wait for a connection, a
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
      ...DATABASE_PATIENCE,
    }),
  });
}

/** Lists the providers of an app that owns partitions: the owner, the line to owners, and readiness. `leasesModule` is imported beside them. */
export function ownershipProviders(app: string, optionsOf: () => OwnerOptions): Provider[] {
  return [
    {
      provide: OwnerLine,
      useFactory: (messaging: Messaging) => new OwnerLine(messaging, app),
      inject: [Messaging],
    },
    {
      provide: PartitionOwner,
      useFactory: (dataSource: DataSource, messaging: Messaging, line: OwnerLine) =>
        new PartitionOwner(dataSource, messaging, line, optionsOf()),
      inject: [getDataSourceToken(LEASES), Messaging, OwnerLine],
    },
    {
      provide: READINESS,
      useFactory:
        (owner: PartitionOwner): Readiness =>
        () =>
          owner.assertHealthy(),
      inject: [PartitionOwner],
    },
  ];
}
