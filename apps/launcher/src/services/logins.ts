import { grantLogins, type Login, loginName, loginUrl } from '@svc/database/logins';
import { databasePassword, type Secrets } from '../state/secrets.js';
import { isThere, SERVICES } from './services.js';

/**
 * Gives each service of this stack a login that may use its schema alone. Logins are a whole server's: the id in their names keeps those of two
 * stacks apart.
 * @param ownerUrl where the migrations have run, as whoever ran them
 * @returns the address of the database for each service, by its name
 */
export async function serviceDatabases(ownerUrl: string, secrets: Secrets): Promise<Record<string, string>> {
  // A schema is made by its service.
  const rows = SERVICES.filter(({ name }) => isThere(name));
  const logins = rows.map(({ name: service, schema }): [service: string, login: Login] => {
    const name = `${loginName(schema)}_${secrets.stackId}`;
    return [service, { schema, name, password: databasePassword(secrets, service) }];
  });
  await grantLogins(
    ownerUrl,
    logins.map(([, login]) => login),
  );
  return Object.fromEntries(logins.map(([service, login]) => [service, loginUrl(ownerUrl, login)]));
}
