import { expect, test } from '@jest/globals';
import { packSnapshot, unpackSnapshot } from './snapshot.js';

const busy = (transactions: number, apart: number): string => {
  const running = Array.from({ length: transactions }, (_, n) => 9_000_000_000 + n * apart);
  return `9000000000:9000200000:${running.join(',')}`;
};

test.each([
  '763:763:',
  '763:770:763,768',
  '18014398509481000:18014398509481984:18014398509481000,18014398509481012',
  '700:90000000:700,41000,89999127,89999255,89999999',
  busy(200, 120),
])('a snapshot comes out of a cursor as it went in: %s', (snapshot) =>
  expect(unpackSnapshot(packSnapshot(snapshot))).toBe(snapshot),
);

test('a snapshot of a server that is busier than any has room in a cursor', () => {
  for (const apart of [1, 100, 150, 20_000])
    expect(packSnapshot(busy(2_000, apart)).length).toBeLessThan(300);
});

test('a cursor of an earlier release is read as it was meant', () => {
  expect(unpackSnapshot('l7.7.0.5')).toBe('763:770:763,768');
  expect(unpackSnapshot('l7.0')).toBe('763:763:');
});
