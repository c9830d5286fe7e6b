import { expect, test } from '@jest/globals';
import { STEPS } from './criteria.js';

test('of five tiers four can be left', () => {
  expect(STEPS).toBe(4);
});
