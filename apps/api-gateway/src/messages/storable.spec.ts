import { expect, test } from '@jest/globals';
import { storable } from './storable.js';

test('replaces what PostgreSQL cannot keep, at any depth, and nothing else', () => {
  expect(storable({ type: 'text', text: 'a\u0000b\ud83dc', n: 1, list: ['\udc00', null, true] })).toEqual({
    ...{ type: 'text', text: 'a\ufffdb\ufffdc', n: 1, list: ['\ufffd', null, true] },
  });
  expect(storable('👍 ü')).toBe('👍 ü');
});
