import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { keyIdOf } from './outgoing.js';

test('a job always has the same message id, in the shape of the platform’s own', () => {
  const jobId = randomUUID();
  expect(keyIdOf(jobId)).toBe(keyIdOf(jobId));
  expect(keyIdOf(jobId)).toMatch(/^3EB0[0-9A-F]{18}$/);
  expect(keyIdOf(randomUUID())).not.toBe(keyIdOf(jobId));
});
