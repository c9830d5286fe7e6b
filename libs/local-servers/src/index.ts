export { type NatsOptions, startNats } from './nats.js';
export { findNatsServer, type NatsBinaryOptions } from './nats-binary.js';
export { type PostgresOptions, startPostgres } from './postgres.js';
export type { LocalServer } from './local-server.js';
export type { LogLine, ServerExit } from './server-process.js';
