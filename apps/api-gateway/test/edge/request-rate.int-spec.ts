import { expect, test } from '@jest/globals';
import { waitFor } from '@svc/testing';
import { gateway, tenant, withGateway } from '../support/gateway.js';

const PER_SECOND = 5;
withGateway({ REQUESTS_PER_SECOND: String(PER_SECOND) });

test('a key that asks too often is refused for a moment, whatever it asks; other keys are not', async () => {
  const ask = (key = tenant.apiKey) => gateway.call(key, 'GET /v1/sessions');
  const answers = await Promise.all(Array.from({ length: 3 * PER_SECOND }, () => ask()));
  const refused = answers.filter(({ status }) => status === 429);
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(PER_SECOND);
  expect(refused.length).toBeGreaterThanOrEqual(1);
  expect(refused[0]!.body).toMatchObject({
    code: 'RATE_LIMITED',
    meta: { layer: 'request', limit: PER_SECOND, resetAt: expect.stringMatching(/Z$/) },
  });
  expect(refused[0]!.headers.get('retry-after')).toBe('1');
  const other = await gateway.createTenant();
  expect(await ask(other.apiKey)).toMatchObject({ status: 200 });
  await waitFor('its turn', async () => (await ask()).status === 200);
});

test('a wrong key costs nobody anything', async () => {
  const { apiKey } = await gateway.createTenant();
  const wrong = apiKey.replace(/.{6}$/, 'zzzzzz');
  const answers = await Promise.all(
    Array.from({ length: 3 * PER_SECOND }, () => gateway.call(wrong, 'GET /v1/sessions')),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
  expect(await gateway.call(apiKey, 'GET /v1/sessions')).toMatchObject({ status: 200 });
});
