export { isDatabaseAway } from './database-away.js';
export { Batches, type BatchOptions } from './writing/batches.js';
export { type Columns, columns } from './writing/columns.js';
export {
  GroupCommit,
  type GroupOptions,
  isPassing,
  type Patience,
  patiently,
} from './writing/group-commit.js';
export { isOfContent } from './refusal.js';
export { togetherOrAlone } from './writing/together-or-alone.js';
export { storable } from './writing/storable.js';
export { migrate, type MigrateOptions } from './migrate/migrate.js';
export { sqlFolder } from './migrate/sql-files.js';
export { schemaDataSource, schemaRole, type SchemaConnection } from './schema-connection.js';
export { grantLogins, type Login, loginName, loginOf, LoginRefused, loginUrl } from './logins/logins.js';
