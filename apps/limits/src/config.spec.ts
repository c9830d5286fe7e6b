import { expect, test } from '@jest/globals';
import { loadConfig } from '@svc/service';
import { LimitsConfig } from './config.js';

const REQUIRED = {
  ...{ DATABASE_URL: 'postgres://svc@127.0.0.1/svc', NATS_URL: 'nats://127.0.0.1:4222' },
  NATS_USER: 'svc',
  NATS_PASSWORD: 'secret',
  CONTACT_HASH_KEY: 'the key of the tests, long enough to pass',
};
const read = (env: Record<string, string> = {}): LimitsConfig =>
  loadConfig(LimitsConfig, { ...REQUIRED, ...env });

test('without a word the warmup takes 3, 7, 14 and 30 days', () => {
  expect([0, 1, 2, 3].map((tier) => read().criteriaOf(tier).dwellDays)).toEqual([3, 7, 14, 30]);
});

test('one number is that of every tier, four are those of each', () => {
  const config = read({ WARMUP_LEAST_REPLIED: '0.3', WARMUP_MOST_FAILED: '0.05, 0.04, 0.03, 0.02' });
  expect([0, 3].map((tier) => config.criteriaOf(tier).leastReplied)).toEqual([0.3, 0.3]);
  expect([0, 3].map((tier) => config.criteriaOf(tier).mostFailed)).toEqual([0.05, 0.02]);
});

test.each([
  ['WARMUP_DWELL_DAYS', '2', 'less than 3'],
  ['WARMUP_DWELL_DAYS', '3,7,14,31', 'greater than 30'],
  ['WARMUP_DWELL_DAYS', '3,7', 'one value, or 4'],
  ['WARMUP_LEAST_DELIVERED', '1.1', 'greater than 1'],
  ['WARMUP_LEAST_DELIVERED', 'much', 'must hold numbers'],
  ['WARMUP_LEAST_DELIVERED', '0.9,,0.9,0.9', 'must hold numbers'],
])('%s=%s is refused at boot: %s', (name, value, words) => {
  expect(() => read({ [name]: value })).toThrow(new RegExp(`${name}.*${words}`, 's'));
});
