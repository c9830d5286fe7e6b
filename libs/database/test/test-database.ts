import { testDatabases } from '@svc/test-servers';
import { migrate, type MigrateOptions } from '../src/index.js';

/** Makes an empty, migrated database for a test file. */
export const createTestDatabase = testDatabases<Omit<MigrateOptions, 'url'>>((url, schema) =>
  migrate({ ...schema, url }),
);
