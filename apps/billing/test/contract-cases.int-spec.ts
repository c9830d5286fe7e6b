import { afterAll, beforeAll, describe, test } from '@jest/globals';
import {
  subscriptionCases,
  startTestService,
  type TestService,
  wholeTenantInBillingCases,
} from '@svc/testing';
import { schema } from '../src/migrations/schema.js';
import { serviceOptions } from '../src/service-options.js';

let service: TestService;

beforeAll(async () => {
  service = await startTestService(serviceOptions, schema);
});
afterAll(() => service.stop());

// The gateway's tests run the same cases against the fake that stands for this service.
describe('the service keeps the contract', () => {
  test.each([...subscriptionCases, ...wholeTenantInBillingCases])('$name', ({ run }) => run(service));
});
