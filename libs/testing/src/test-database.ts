import { migrate, type MigrateOptions } from '@svc/database';
import { testDatabases } from '@svc/test-servers';

/** A schema and its migrations; `url` is the test's own business. */
export type TestSchema = Omit<MigrateOptions, 'url'>;

/** Makes an empty, migrated database for a test file. */
export const createTestDatabase = testDatabases<TestSchema>((url, schema) => migrate({ ...schema, url }));
