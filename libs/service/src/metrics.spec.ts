import { expect, test } from '@jest/globals';
import { counter, gauge, metricsText } from './metrics.js';

const linesOf = (name: string): string[] =>
  metricsText()
    .split('\n')
    .filter((line) => line.startsWith(name));

test('a counter begins at 0 and grows by one', () => {
  const calls = counter('calls_total', 'Calls.');
  expect(linesOf('calls_total')).toEqual(['calls_total 0']);
  calls.add();
  calls.add();
  expect(linesOf('calls_total')).toEqual(['calls_total 2']);
});

test('a counter counts each label by itself', () => {
  const ends = counter('ends_total', 'Ends.');
  ends.add({ reason: 'late' });
  ends.add({ reason: 'early' });
  ends.add({ reason: 'late' });
  expect(linesOf('ends_total')).toEqual(['ends_total{reason="late"} 2', 'ends_total{reason="early"} 1']);
});

test('a label is written so that it stays one', () => {
  const odd = counter('odd_total', 'Odd.');
  odd.add({ name: 'a "b"\\\nc' });
  expect(linesOf('odd_total')).toEqual(['odd_total{name="a \\"b\\"\\\\\\nc"} 1']);
});

test('a gauge has the value that was set last', () => {
  const height = gauge('height', 'Height.');
  height.set(3);
  height.set(2);
  expect(linesOf('height')).toEqual(['height 2']);
});
