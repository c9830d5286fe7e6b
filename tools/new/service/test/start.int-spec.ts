import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { migrate } from '@svc/database';
import { startTestService, type TestService } from '@svc/testing';
import { schema } from '../src/migrations/schema.js';
import { serviceOptions } from '../src/service-options.js';

let service: TestService;

beforeAll(async () => {
  service = await startTestService(serviceOptions, schema);
});
afterAll(() => service.stop());

test.each(['live', 'ready'])('the service says that it is %s', async (probe) => {
  const response = await fetch(`${service.opsUrl}/health/${probe}`);
  expect({ status: response.status, body: await response.json() }).toEqual({
    status: 200,
    body: { status: 'ok', version: expect.any(String) },
  });
});

test('the schema is left as it is by a second run of its migrations', async () => {
  expect(await migrate({ ...schema, url: service.database.url })).toEqual([]);
});
