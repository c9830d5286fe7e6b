import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { EventLogGrew, type LoggedEvent, type MessageReceivedV1, type NewTenant } from '@svc/contracts';
import { gateway, withGateway } from '../support/gateway.js';
import { StreamReader } from '../support/stream-reader.js';

withGateway();

let tenant: NewTenant;

const said = (keyId: string, payload: Partial<MessageReceivedV1> = {}): LoggedEvent => ({
  ...{ id: randomUUID(), event: 'message.received', createdAt: '2026-01-31T12:00:00.000Z' },
  payload: { keyId, ...payload },
});

/** A message of each aspect, and at last one that has none. */
const SAID = (): LoggedEvent[] => [
  said('group', { isGroup: true }),
  said('own', { fromMe: true }),
  said('edit', { change: { kind: 'EDITED', keyId: 'plain' } }),
  said('plain'),
];

beforeEach(async () => {
  tenant = await gateway.createTenant();
  gateway.fakes.dispatcher.log = [];
});

const keysOf = (events: (LoggedEvent | undefined)[]): unknown[] =>
  events.map((event) => (event?.payload as MessageReceivedV1).keyId);

async function logOf(query: string): Promise<unknown[]> {
  gateway.fakes.dispatcher.log = SAID();
  const { body } = await gateway.call(tenant.apiKey, `GET /v1/events?${query}`);
  return keysOf(body['items'] as LoggedEvent[]);
}

async function streamOf(query: string): Promise<unknown[]> {
  const headers = { authorization: `Bearer ${tenant.apiKey}` };
  const reader = await StreamReader.open(`${gateway.service.url}/v1/events/stream?${query}`, headers, true);
  gateway.fakes.dispatcher.log.push(...SAID());
  gateway.fakes.messaging.notify(EventLogGrew, { tenantIds: [tenant.tenantId] });
  const keys = (): unknown[] => keysOf(reader.events.map(({ data }) => data as LoggedEvent | undefined));
  for (let count = 1; !keys().includes('plain'); count += 1) await reader.until(count);
  reader.leave();
  return keys();
}

describe.each([
  ['the log', logOf],
  ['the stream', streamOf],
])('%s of events', (_what, read) => {
  test('has all that is said, unless its reader leaves something out', async () => {
    expect(await read('')).toEqual(['group', 'own', 'edit', 'plain']);
    expect(await read('own=true')).toEqual(['group', 'own', 'edit', 'plain']);
  });

  test('leaves out groups, the own words or changes', async () => {
    expect(await read('groups=false')).toEqual(['own', 'edit', 'plain']);
    expect(await read('own=false&changes=false')).toEqual(['group', 'plain']);
  });
});

test.each(['/v1/events', '/v1/events/stream'])('%s takes true and false, and nothing else', async (path) => {
  const refused = await gateway.call(tenant.apiKey, `GET ${path}?own=no`);
  expect(refused).toMatchObject({ status: 400, body: { meta: { fields: [{ field: 'own' }] } } });
});
