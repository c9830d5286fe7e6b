import { describe, expect, test } from '@jest/globals';
import { ENTITLEMENT_KEYS } from '../../enums.js';
import { parseData } from '../../parsing.js';
import { DayCaps, Entitlements, SetEntitlementV1 } from './entitlements.js';

const TENANT = '0198c0de-0000-7000-8000-000000000001';
const set = (key: unknown, value: unknown): SetEntitlementV1 =>
  parseData(SetEntitlementV1, { tenantId: TENANT, key, value, reason: 'Contract of May' });
const NUMBERS = { sessions: 1, messages: 2, calls: 3, tokens: 4, overage: 'bill', storage: 5, pace: 6 };

describe('a value', () => {
  test.each(ENTITLEMENT_KEYS.filter((key) => key !== 'overage'))(
    'of %s is a whole number from 0 on, up to a bound',
    (key) => {
      expect(set(key, 0).value).toBe(0);
      for (const wrong of [-1, 0.5, '5', null, 2 ** 60, 'bill', undefined]) {
        expect(() => set(key, wrong)).toThrow(`value of ${key} must be a whole number from 0 to`);
      }
    },
  );

  test('of overage is a word', () => {
    expect(set('overage', 'block').value).toBe('block');
    for (const wrong of [0, 'free', null]) {
      expect(() => set('overage', wrong)).toThrow('value of overage must be bill or block');
    }
  });
});

test('an entitlement is a number or null for no limit, and never left out', () => {
  const none = { sessions: null, messages: null, calls: null, tokens: null, storage: null, pace: null };
  expect(parseData(Entitlements, { ...NUMBERS, ...none })).toMatchObject(none);
  expect(parseData(Entitlements, NUMBERS)).toEqual(NUMBERS);
  expect(() => parseData(DayCaps, { messages: 5 })).toThrow('calls');
  expect(() => parseData(DayCaps, { messages: -1, calls: 5 })).toThrow('messages must not be less than 0');
});
