import { describe, expect, test } from '@jest/globals';
import { GetSubscription } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { SubscriptionsService } from '../../src/subscriptions/subscriptions.service.js';
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

describe('all keys of a tenant together', () => {
  /** A tenant of two keys, of which the gateway knows how many requests a second it may make. */
  async function paced(pace: number): Promise<string[]> {
    const { tenantId, apiKey } = await gateway.createTenant();
    Object.assign(gateway.fakes.subscriptions.get(tenantId) as object, { entitlements: { pace } });
    const { body } = await gateway.call(apiKey, 'POST /v1/api-keys', { rotates: null });
    await gateway.service.get(SubscriptionsService).of(tenantId);
    return [apiKey, String(body['secret'])];
  }

  test('make no more requests a second than the tenant may', async () => {
    const keys = await paced(2);
    const answers = await Promise.all(
      [...keys, ...keys, ...keys].map((key) => gateway.call(key, 'GET /v1/sessions')),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(2);
    expect(refused[0]!.body).toMatchObject({
      message: expect.stringContaining('The keys of this tenant'),
      meta: { layer: 'request', limit: 2 },
    });
    expect(refused[0]!.headers.get('retry-after')).toBe('1');
    const other = await gateway.createTenant();
    expect(await gateway.call(other.apiKey, 'GET /v1/sessions')).toMatchObject({ status: 200 });
  });

  test('are told how many that are', async () => {
    const [key] = await paced(3);
    expect((await gateway.call(key, 'GET /v1/limits')).body).toMatchObject({ requestsPerSecond: 3 });
  });
});

test('nobody waits for billing before a request is counted', async () => {
  const { tenantId, apiKey } = await gateway.createTenant();
  await gateway.fakes.without(GetSubscription, async () => {
    expect(await gateway.call(apiKey, 'GET /v1/sessions')).toMatchObject({ status: 200 });
  });
  const known = () => gateway.service.get(SubscriptionsService).lastAnswer(tenantId);
  await waitFor('an answer that nobody has waited for', () => known() !== undefined);
});
