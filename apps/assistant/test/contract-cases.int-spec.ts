import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, test } from '@jest/globals';
import { assistantCases, assistantConversationCases, startTestService, type TestService } from '@svc/testing';
import { schema } from '../src/migrations/schema.js';
import { serviceOptions } from '../src/service-options.js';

let service: TestService;

beforeAll(async () => {
  service = await startTestService(serviceOptions, schema, {
    SECRETS_KEY: randomBytes(32).toString('base64'),
    CONTACT_HASH_KEY: randomBytes(32).toString('hex'),
  });
});
afterAll(() => service.stop());

// The gateway's tests run the same cases against the fake that stands for this service.
describe('the service keeps the contract', () => {
  test.each([...assistantCases, ...assistantConversationCases])('$name', ({ run }) => run(service));
});
