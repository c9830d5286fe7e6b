import type { Socket } from 'node:net';
import type { DataSourceOptions, MixedList } from 'typeorm';
import { PreparingClient } from './preparing-client.js';

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

const STATEMENT_LIMIT_MS = 15_000;
/** Longer than the server lets any statement run: one that says nothing for this long is gone. */
const SILENCE_LIMIT_MS = 20_000;

/**
 * TypeORM options of a service: its own schema on the search path and its own role, so that a statement on another
 * service's table is refused by the server and not by convention.
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
      Client: PreparingClient,
      // A prepared statement keeps its plan while tables grow: one that reads a whole table is made only for want of an index.
      options: `-c role=${schemaRole(schema)} -c search_path=${schema},public -c enable_seqscan=off`,
      statement_timeout: STATEMENT_LIMIT_MS,
      idle_in_transaction_session_timeout: 30_000,
      connectionTimeoutMillis: 10_000,
      keepAlive: true,
      onConnect: closeWhenSilent,
    },
  };
}

/**
 * Ends a connection on which nothing comes back, and with it the statement that waits. `query_timeout` of `pg` would
 * end the statement only: the pool then hands out the dead connection again, first of all, to whoever asks next.
 */
function closeWhenSilent({ connection }: { connection: { stream: Socket } }): void {
  connection.stream.setTimeout(SILENCE_LIMIT_MS, () => {
    const words = `The database said nothing for ${SILENCE_LIMIT_MS / 1000} seconds.`;
    connection.stream.destroy(Object.assign(new Error(words), { code: 'ETIMEDOUT' }));
  });
}
