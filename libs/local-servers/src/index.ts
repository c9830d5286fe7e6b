export { type NatsOptions, startNats } from './nats/nats.js';
export { NATS_RIGHTS, type NatsRights } from './generated/nats-rights.js';
export { natsUsers, type NatsUsersOptions, PARTITIONS } from './nats/users.js';
export { findNatsServer, type NatsBinaryOptions } from './nats/nats-binary.js';
export { type PostgresOptions, startPostgres } from './postgres/postgres.js';
export type { LocalServer } from './local-server.js';
export type { LogLine, ServerExit } from './processes/server-process.js';
