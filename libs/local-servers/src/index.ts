export { type NatsOptions, startNats } from './nats/nats.js';
export { findNatsServer, type NatsBinaryOptions } from './nats/nats-binary.js';
export { type PostgresOptions, startPostgres } from './postgres/postgres.js';
export type { LocalServer } from './local-server.js';
export type { LogLine, ServerExit } from './processes/server-process.js';
