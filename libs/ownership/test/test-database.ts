import { migrate, type MigrateOptions } from '@svc/database';
import { testDatabases } from '@svc/test-servers';

/** Makes an empty, migrated database for a test file. */
export const createTestDatabase = testDatabases<Omit<MigrateOptions, 'url'>>((url, schema) =>
  migrate({ ...schema, url }),
);
