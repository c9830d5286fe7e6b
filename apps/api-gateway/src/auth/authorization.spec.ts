import { expect, test } from '@jest/globals';
import { allows } from './authorization.js';

test.each(['messages:send', 'messages:read', 'webhooks:manage', 'admin:*'] as const)(
  '* and admin:* allow %s, an unrelated scope does not',
  (needed) => {
    expect(allows(['*'], needed)).toBe(true);
    expect(allows(['admin:*'], needed)).toBe(true);
    expect(allows([], needed)).toBe(false);
  },
);

test('a narrow scope allows itself alone', () => {
  expect(allows(['messages:send'], 'messages:send')).toBe(true);
  expect(allows(['messages:send', 'messages:read'], 'webhooks:manage')).toBe(false);
  expect(allows(['webhooks:manage'], 'admin:*')).toBe(false);
});
