import { expect, test } from '@jest/globals';
import { gateway, tenant, withGateway } from '../support/gateway.js';

withGateway({ TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8' });

const PAGE = 'https://www.example.com';
const MORE_THAN_ONE_MAY = 60;

async function statuses(forwardedFor: (n: number) => string): Promise<Set<number>> {
  const { id: sessionId } = gateway.fakes.addSession(tenant.tenantId, { phone: '+4915112345678' });
  const page = { sessionId, title: 'Questions?', greeting: 'We answer.', allowedOrigins: [PAGE] };
  const { id } = (await gateway.call(tenant.apiKey, 'POST /v1/widgets', page)).body;
  const ask = (_: unknown, n: number) =>
    gateway.call(undefined, `GET /v1/public/widget/${String(id)}/config`, undefined, {
      origin: PAGE,
      'x-forwarded-for': forwardedFor(n),
    });
  const answers = await Promise.all(Array.from({ length: MORE_THAN_ONE_MAY }, ask));
  return new Set(answers.map(({ status }) => status));
}

test('behind trusted proxies each visitor has bounds of their own', async () => {
  expect(await statuses((n) => `203.0.113.${n}, 10.1.2.3`)).toEqual(new Set([200]));
});

test('what a visitor says of themselves to the proxy changes nothing', async () => {
  expect(await statuses((n) => `203.0.113.${n}, 198.51.100.7`)).toEqual(new Set([200, 429]));
});

test('all addresses of an IPv6 network are one visitor', async () => {
  expect(await statuses((n) => `2001:db8:1:2:${n.toString(16)}::1`)).toEqual(new Set([200, 429]));
  expect(await statuses((n) => `2001:db8:1:${n.toString(16)}::1`)).toEqual(new Set([200]));
});
