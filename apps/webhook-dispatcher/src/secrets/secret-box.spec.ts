import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { SecretBox, type SecretPlace } from './secret-box.js';

const box = new SecretBox(randomBytes(32).toString('base64'));
const place: SecretPlace = { table: 'webhook_endpoint', column: 'secret_enc', tenantId: 't', id: 'e' };

test('opens what it has sealed, and never seals twice alike', () => {
  const [first, second] = [box.seal('whsec_x', place), box.seal('whsec_x', place)];
  expect(first.equals(second)).toBe(false);
  expect([box.open(first, place), box.open(second, place)]).toEqual(['whsec_x', 'whsec_x']);
});

test.each(['table', 'column', 'tenantId', 'id'] as const)('does not open with another %s', (field) => {
  expect(() => box.open(box.seal('whsec_x', place), { ...place, [field]: 'other' })).toThrow();
});

test('does not open with another key, a changed byte or a shortened tag', () => {
  const sealed = box.seal('whsec_x', place);
  expect(() => new SecretBox(randomBytes(32).toString('base64')).open(sealed, place)).toThrow();
  for (let index = 0; index < sealed.length; index += 1) {
    const changed = Buffer.from(sealed);
    changed[index] = (changed[index] ?? 0) ^ 1;
    expect(() => box.open(changed, place)).toThrow();
  }
  expect(() => box.open(sealed.subarray(0, 20), place)).toThrow();
});
