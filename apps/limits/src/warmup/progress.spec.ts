import { expect, test } from '@jest/globals';
import { columnsOf, PROGRESS } from './progress.js';

test('the steps of a message are in order, so that a later one is never undone by an earlier one', () => {
  expect(PROGRESS.SENT).toBeGreaterThan(0);
  expect(PROGRESS.DELIVERED).toBeGreaterThan(PROGRESS.SENT);
  expect(PROGRESS.FAILED).toBeGreaterThan(PROGRESS.DELIVERED);
});

test('reports become one column for each field, in their order', () => {
  const reports = [
    { jobId: 'a', progress: PROGRESS.SENT, contact: 'x' },
    { jobId: 'b', progress: PROGRESS.FAILED, contact: 'y' },
  ];
  expect(columnsOf(reports)).toEqual([
    ['a', 'b'],
    [1, 3],
    ['x', 'y'],
  ]);
});
