import { afterAll, beforeAll, describe, test } from '@jest/globals';
import { endMessageCases, sessionCases, type SessionWorld, wholeTenantInSessionsCases } from '@svc/testing';
import { Stage } from '../support.js';

let stage: Stage;
let world: SessionWorld;

beforeAll(async () => {
  stage = await Stage.start();
  const sessionId = await stage.link('15550101701');
  world = { rpc: stage.worker.rpc, linked: { tenantId: stage.tenantId, sessionId } };
});
afterAll(() => stage.stop());

// The gateway's tests run the same cases against the fake that stands for this service.
describe('the service keeps the contract', () => {
  test.each([...sessionCases, ...endMessageCases, ...wholeTenantInSessionsCases])('$name', ({ run }) =>
    run(world),
  );
});
