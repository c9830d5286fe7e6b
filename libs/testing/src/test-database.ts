import { grantLogins, type Login, loginName, loginUrl, migrate, type MigrateOptions } from '@svc/database';
import { type TestDatabase, testDatabases } from '@svc/test-servers';

/** A schema and its migrations; `url` is the test's own business. */
export type TestSchema = Omit<MigrateOptions, 'url'>;

/** Makes an empty, migrated database for a test file, and the login of its service, which all databases of a server have in common. */
export const createTestDatabase = testDatabases<TestSchema>(async (url, schema) => {
  await migrate({ ...schema, url });
  await grantLogins(url, [loginOf(schema)]);
});

/** Makes the address with which a service logs in to a test database as itself, so that it may do under test what it may do elsewhere. */
export function serviceUrl(database: TestDatabase, schema: TestSchema): string {
  return loginUrl(database.url, loginOf(schema));
}

/** Names the login of a test's service; the password is of a server on loopback that lives as long as the tests. */
const loginOf = ({ schema }: TestSchema): Login => ({
  ...{ schema, name: loginName(schema), password: 'password of the tests' },
});
