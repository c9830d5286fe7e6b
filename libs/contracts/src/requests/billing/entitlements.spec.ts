import { describe, expect, test } from '@jest/globals';
import { ENTITLEMENT_KEYS } from '../../enums.js';
import { parseData } from '../../parsing.js';
import { DayCaps, Entitlements, SetEntitlementV1 } from './entitlements.js';
import { DayOf } from '../limits/limits.js';

const TENANT = '0198c0de-0000-7000-8000-000000000001';
const set = (key: unknown, value: unknown): SetEntitlementV1 =>
  parseData(SetEntitlementV1, { tenantId: TENANT, key, value, reason: 'Contract of May' });
const NUMBERS = { sessions: 1, messages: 2, calls: 3, tokens: 4, overage: 'bill', storage: 5, pace: 6 };

describe('a value', () => {
  test.each(ENTITLEMENT_KEYS.filter((key) => key !== 'overage'))(
    'of %s is a whole number from 0 on, up to a bound',
    (key) => {
      expect(set(key, 0).value).toBe(0);
      for (const wrong of [-1, 0.5, '5', null, 2 ** 60, 'bill']) {
        expect(() => set(key, wrong)).toThrow(`value of ${key} must be a whole number from 0 to`);
      }
      expect(() => set(key, undefined)).toThrow('value is missing');
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

test('the caps of a question hold both, each a number or null', () => {
  const day = { tenantId: TENANT, plan: 'GROWTH', internal: false };
  const ask = (caps: unknown): DayOf => parseData(DayOf, { ...day, caps });
  for (const caps of [{ messages: 0, calls: null }, undefined]) expect(ask(caps).caps).toEqual(caps);
  for (const caps of [{ messages: 5 }, { messages: -1, calls: 1 }, { messages: 1, calls: 0.5 }, 'x', 5, []]) {
    expect(() => ask(caps)).toThrow('caps must hold messages and calls, whole numbers or null');
  }
});
