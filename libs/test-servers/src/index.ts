export { type ServiceProcess, startProcess } from './child-process.js';
export { DatabaseProxy, type Direction } from './database-proxy.js';
export { type Schema, type TestDatabase, testDatabases } from './test-database.js';
export { temporaryDirectory } from './temporary-directory.js';
export { natsLogin, startTestNats, type TestNats } from './test-nats.js';
export { waitFor } from './wait-for.js';
