import { createHmac } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { gateway, withGateway } from '../support/gateway.js';

const [FORMER, CURRENT] = [
  'the pepper of last year, 32 characters',
  'the pepper of this year, 32 characters',
];
withGateway({ KEY_PEPPER: CURRENT, KEY_PEPPER_VERSION: '2', KEY_PEPPER_PREVIOUS: FORMER });

test('a key that was hashed with the pepper before works, and is hashed with the new one by that', async () => {
  const { apiKey, kid } = await gateway.createTenant();
  const under = (pepper: string): Buffer =>
    createHmac('sha256', pepper).update(apiKey.replace('rk_live_', '')).digest();
  const query = (sql: string, more: unknown[] = []): Promise<Record<string, unknown>[]> =>
    gateway.service.database.query(sql, [kid, ...more]);
  const stored = 'SELECT digest, pepper_version FROM gateway.api_key WHERE kid = $1';
  expect(await query(stored)).toEqual([{ digest: under(CURRENT), pepper_version: 2 }]);

  await query('UPDATE gateway.api_key SET digest = $2, pepper_version = 1 WHERE kid = $1', [under(FORMER)]);
  for (const _time of ['with the digest before', 'with the new one'])
    expect((await gateway.call(apiKey, 'GET /v1/sessions')).status).toBe(200);
  expect(await query(stored)).toEqual([{ digest: under(CURRENT), pepper_version: 2 }]);

  // A replica that hashes with the next one already: nothing is changed back.
  const next = [under(FORMER), 3];
  await query('UPDATE gateway.api_key SET digest = $2, pepper_version = $3 WHERE kid = $1', next);
  gateway.invalidatePermissions();
  expect((await gateway.call(apiKey, 'GET /v1/sessions')).status).toBe(200);
  expect(await query(stored)).toEqual([{ digest: under(FORMER), pepper_version: 3 }]);
});
