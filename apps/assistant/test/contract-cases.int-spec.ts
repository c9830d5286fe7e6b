import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, test } from '@jest/globals';
import {
  assistantCases,
  assistantConversationCases,
  assistantKnowledgeCases,
  startTestService,
  type TestService,
} from '@svc/testing';
import { KnowledgeService } from '../src/knowledge/knowledge.service.js';
import { schema } from '../src/migrations/schema.js';
import { serviceOptions } from '../src/service-options.js';

let service: TestService;

beforeAll(async () => {
  service = await startTestService(serviceOptions, schema, {
    SECRETS_KEY: randomBytes(32).toString('base64'),
  });
});
afterAll(() => service.stop());

// The gateway's tests run the same cases against the fake that stands for this service.
describe('the service keeps the contract', () => {
  test.each([...assistantCases, ...assistantConversationCases])('$name', ({ run }) => run(service));
  test.each(assistantKnowledgeCases)('$name', ({ run }) =>
    run({
      rpc: service.rpc,
      missed: (ref, question) =>
        service.get(KnowledgeService).noteGap({ ...ref, id: randomUUID(), chat: 'a@b' }, question),
    }),
  );
});
