import { expect, test } from '@jest/globals';
import { PROGRESS } from './progress.js';

test('the steps of a message are in order, so that a later one is never undone by an earlier one', () => {
  expect(PROGRESS.SENT).toBeGreaterThan(0);
  expect(PROGRESS.DELIVERED).toBeGreaterThan(PROGRESS.SENT);
  expect(PROGRESS.FAILED).toBeGreaterThan(PROGRESS.DELIVERED);
});
