import { beforeAll, describe, test } from '@jest/globals';
import {
  boundEndpointCases,
  type DeadLetter,
  deliveryCases,
  webhookCases,
  wholeTenantInWebhooksCases,
} from '@svc/testing';
import { Stage } from '../stage.js';

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
