import type { Socket } from 'node:net';
import pg from 'pg';
import type { DataSourceOptions, MixedList } from 'typeorm';
import { PreparingClient } from './preparing-client.js';

/** Connection of a service to its own schema. */
export interface SchemaConnection {
  /** `postgres://user:password@host:port/database`; the user must be a member of the schema's role. */
  url: string;
  /** The one schema this service owns, e.g. `limits`. */
  schema: string;
  entities: MixedList<new () => object>;
  /** Connections in the pool, 10 by default. */
  poolSize?: number;
  /** Name in `pg_stat_activity`. */
  applicationName?: string;
}

/** Names the role that owns nothing but may read and write the tables of one schema. */
export function schemaRole(schema: string): string {
  return `svc_${schema}`;
}

/**
 * Time for which an unused connection stays in the pool, in ms. One that is new has neither plans nor the tables' descriptions: its first
 * statements cost tens of milliseconds, and to make one for every peak lengthens the peak.
 */
const IDLE_LIMIT_MS = 300_000;
const STATEMENT_LIMIT_MS = 15_000;
/** Time after which a silent connection counts as broken, in ms: longer than the server lets any statement run. */
const SILENCE_LIMIT_MS = 20_000;

/**
 * Makes the TypeORM options of a service: its own schema on the search path and its own role, so that a statement on another
 * service's table is refused by the server and not by convention.
 */
export function schemaDataSource(connection: SchemaConnection): DataSourceOptions {
  const { url, schema, entities, poolSize = 10, applicationName = `svc-${schema}` } = connection;
  return {
    type: 'postgres',
    driver: pg, // TypeORM would look for it in node_modules, which a program that is bundled does not have
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
      idleTimeoutMillis: IDLE_LIMIT_MS,
      keepAlive: true,
      onConnect: (client: Connected) => closeWhenSilent(client),
    },
  };
}

/** Fields of a connected `pg.Client` that its types do not show. */
interface Connected {
  connection: { stream: Socket };
  /** No statement is under way. */
  readyForQuery: boolean;
}

/**
 * Ends a connection on which nothing comes back, and with it the statement that waits. `query_timeout` of `pg` would
 * end the statement only: the pool then hands out the dead connection again, first of all, to whoever asks next.
 */
export function closeWhenSilent(client: Connected, limitMs = SILENCE_LIMIT_MS): void {
  const { stream } = client.connection;
  stream.setTimeout(limitMs);
  stream.on('timeout', () => {
    if (client.readyForQuery) return; // it waits in the pool; the next statement starts the time anew
    const words = `The database said nothing for ${limitMs / 1000} seconds.`;
    stream.destroy(Object.assign(new Error(words), { code: 'ETIMEDOUT' }));
  });
}
