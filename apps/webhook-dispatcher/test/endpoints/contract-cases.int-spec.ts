import { randomUUID } from 'node:crypto';
import { beforeAll, describe, test } from '@jest/globals';
import { ReadEventLog } from '@svc/contracts';
import {
  boundEndpointCases,
  type DeadLetter,
  deliveryCases,
  eventLogCases,
  waitFor,
  webhookCases,
  wholeTenantInWebhooksCases,
} from '@svc/testing';
import { PATIENCE_MS, Stage } from '../stage.js';

const stage = Stage.ofThisFile();
beforeAll(() => stage.boot());

async function deadLetter(): Promise<DeadLetter> {
  const { tenantId, endpointId, delivery } = await stage.subscriber();
  stage.receiver.answerWith(500);
  await stage.producer.received(tenantId);
  const { deliveryId } = await delivery('DEAD');
  stage.receiver.answerWith(200);
  return { tenantId, endpointId, deliveryId };
}

async function arrived(contacts: readonly string[]): Promise<{ tenantId: string; ids: string[] }> {
  const tenantId = randomUUID();
  const ids: string[] = [];
  for (const remoteJid of contacts) ids.push((await stage.producer.received(tenantId, { remoteJid })).id);
  const inLog = async (): Promise<boolean> =>
    (await stage.rpc.request(ReadEventLog, { tenantId, limit: 200 })).events.length === ids.length;
  await waitFor('the log', inLog, PATIENCE_MS);
  return { tenantId, ids };
}

// The gateway's tests run the same cases against the fake that stands for this service.
describe('the service keeps the contract', () => {
  test.each(webhookCases)('$name', ({ run }) => run(stage));
});

describe('of endpoints that sessions are bound to', () => {
  test.each(boundEndpointCases)('$name', ({ run }) => run(stage));
});

describe('of tenants and contacts as a whole', () => {
  test.each(wholeTenantInWebhooksCases)('$name', ({ run }) => run(stage));
});

describe('of deliveries and replays', () => {
  test.each(deliveryCases)('$name', ({ run }) => run({ rpc: stage.rpc, deadLetter }));
});

describe('of the event log', () => {
  test.each(eventLogCases)('$name', ({ run }) => run({ rpc: stage.rpc, arrived }));
});
