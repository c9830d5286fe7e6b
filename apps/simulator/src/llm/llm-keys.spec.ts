import { expect, test } from '@jest/globals';
import { LlmKeys } from './llm-keys.js';

test('the key that nobody has used for longest is forgotten when there are too many', () => {
  const keys = new LlmKeys(2);
  const first = keys.use('first');
  keys.use('second');
  expect(keys.use('first')).toBe(first);
  keys.use('third');
  expect(keys.all().map(({ key }) => key)).toEqual(['first', 'third']);
});
