import { describe, expect, test } from '@jest/globals';
import type { BusinessHours } from '@svc/contracts';
import { isOpen } from './hours.js';

const bakery: BusinessHours = {
  timezone: 'Europe/Berlin',
  open: [
    { day: 'MON', from: '07:00', to: '12:30' },
    { day: 'FRI', from: '22:00', to: '02:00' },
    { day: 'SUN', from: '00:00', to: '24:00' },
  ],
};

describe('a business', () => {
  test.each([
    ['opens to the minute', '2026-01-05T06:00:00Z', true],
    ['is closed a minute before', '2026-01-05T05:59:59Z', false],
    ['closes to the minute', '2026-01-05T11:30:00Z', false],
    ['is open up to then', '2026-01-05T11:29:59Z', true],
    ['keeps its own clock in summer', '2026-07-06T05:00:00Z', true],
    ['is open behind midnight', '2026-01-10T00:30:00Z', true],
    ['closes in the night', '2026-01-10T01:00:00Z', false],
    ['is open a whole day', '2026-01-11T22:59:59Z', true],
    ['is closed when that day has ended', '2026-01-11T23:00:00Z', false],
    ['is closed on a day that it does not name', '2026-01-06T09:00:00Z', false],
  ])('%s', (_, at, expected) => {
    expect(isOpen(bakery, new Date(at))).toBe(expected);
  });

  test('is open through the turn of the week', () => {
    const bar: BusinessHours = { timezone: 'UTC', open: [{ day: 'SUN', from: '20:00', to: '04:00' }] };
    const times = [
      '2026-01-11T19:59:00Z',
      '2026-01-11T23:59:00Z',
      '2026-01-12T03:59:00Z',
      '2026-01-12T04:00:00Z',
    ];
    expect(times.map((at) => isOpen(bar, new Date(at)))).toEqual([false, true, true, false]);
  });

  test('without hours is always open, and one with equal times for a whole day', () => {
    expect(isOpen(null, new Date())).toBe(true);
    const kiosk: BusinessHours = {
      timezone: 'Asia/Tokyo',
      open: [{ day: 'WED', from: '00:00', to: '00:00' }],
    };
    expect(isOpen(kiosk, new Date('2026-01-07T14:59:00Z'))).toBe(true);
    expect(isOpen(kiosk, new Date('2026-01-07T15:00:00Z'))).toBe(false);
  });
});
