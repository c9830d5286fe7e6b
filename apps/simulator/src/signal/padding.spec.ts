import { expect, test } from '@jest/globals';
import { pad, unpad } from './padding.js';

test('every length of padding comes off again', () => {
  const message = Buffer.from('message');
  for (let length = 1; length <= 16; length++) {
    const padded = pad(message, length);
    expect(padded).toHaveLength(message.length + length);
    expect(unpad(padded)).toEqual(message);
  }
});

test('padding is never left out', () => {
  for (let attempt = 0; attempt < 100; attempt++) {
    const added = pad(Buffer.alloc(3)).length - 3;
    expect(added).toBeGreaterThanOrEqual(1);
    expect(added).toBeLessThanOrEqual(16);
  }
});

test.each([[[]], [[0]], [[1, 2, 17]], [[5, 5]]])('%j is not padded', (bytes) => {
  expect(() => unpad(Buffer.from(bytes))).toThrow('padding');
});
