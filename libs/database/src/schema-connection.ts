import type { DataSourceOptions, MixedList } from 'typeorm';

/** What a service says to get its own corner of the database. */
export interface SchemaConnection {
  /** `postgres://user:password@host:port/database`; the user must be a member of the schema's role. */
  url: string;
  /** The one schema this service owns, e.g. `limits`. */
  schema: string;
  entities: MixedList<new () => object>;
  /** Connections in the pool, 10 by default. */
  poolSize?: number;
  /** Shown in `pg_stat_activity`. */
  applicationName?: string;
}

/** Role that owns nothing but may read and write the tables of one schema. */
export function schemaRole(schema: string): string {
  return `svc_${schema}`;
}

/**
 * TypeORM options of a service: its own schema on the search path and its own role, so that a statement on another
 * service's table is refused by the server and not by convention (design: architecture, "Truth and transport").
 */
export function schemaDataSource(connection: SchemaConnection): DataSourceOptions {
  const { url, schema, entities, poolSize = 10, applicationName = `svc-${schema}` } = connection;
  return {
    type: 'postgres',
    url,
    schema,
    entities,
    synchronize: false,
    installExtensions: false,
    logging: false,
    poolSize,
    applicationName,
    extra: {
      options: `-c role=${schemaRole(schema)} -c search_path=${schema},public`,
      statement_timeout: 15_000,
      idle_in_transaction_session_timeout: 30_000,
      connectionTimeoutMillis: 10_000,
      keepAlive: true,
    },
  };
}
