import { expect, test } from '@jest/globals';
import { advSecretOf, openKeyBundle, unwrapKey, wrapKey } from './code-keys.js';

const KEY = Buffer.alloc(32, 5);

test('whoever types the code reads the key, and whoever types another one reads another key', async () => {
  const wrapped = await wrapKey('ABCD2345', KEY);
  expect(wrapped).toHaveLength(80);
  expect(await unwrapKey('ABCD2345', wrapped)).toEqual(KEY);
  expect(await unwrapKey('ABCD2346', wrapped)).not.toEqual(KEY);
});

test('a bundle that is not sealed with the shared key does not open', () => {
  expect(openKeyBundle(KEY, Buffer.alloc(156, 1))).toBeUndefined();
  expect(openKeyBundle(KEY, Buffer.alloc(60))).toBeUndefined();
});

test('the secret depends on all that both sides have agreed on', () => {
  const parts = [1, 2, 3].map((byte) => Buffer.alloc(32, byte)) as [Buffer, Buffer, Buffer];
  const secret = advSecretOf(...parts);
  expect(secret).toHaveLength(32);
  for (const at of [0, 1, 2] as const) {
    const other = [...parts] as typeof parts;
    other[at] = Buffer.alloc(32, 9);
    expect(advSecretOf(...other)).not.toEqual(secret);
  }
});
