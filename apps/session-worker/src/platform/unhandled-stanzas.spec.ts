import { expect, test } from '@jest/globals';
import { metricsText, setUpLogger } from '@svc/service';
import { UnhandledStanzas } from './unhandled-stanzas.js';

setUpLogger('test', 'silent');
const shape = { tag: 'notification', attrs: { type: 8 } };
const counted = (name: string, known: 'yes' | 'no'): number => {
  const line = metricsText()
    .split('\n')
    .find((each) => each.startsWith(`platform_unknown_stanzas_total{name="${name}",known="${known}"}`));
  return Number(line?.split(' ').at(-1) ?? 0);
};

test('each is counted by its name, and by whether it is known', () => {
  const stanzas = new UnhandledStanzas();
  stanzas.countNew('notification surprise', shape);
  stanzas.countNew('notification surprise', shape);
  stanzas.countKnown('notification business');
  expect(counted('notification surprise', 'no')).toBe(2);
  expect(counted('notification business', 'yes')).toBe(1);
});

test('the structure of the last 20 new ones is kept', () => {
  const stanzas = new UnhandledStanzas();
  for (let n = 1; n <= 25; n += 1) stanzas.countNew(`kept ${n}`, shape);
  stanzas.countKnown('notification business');
  const names = stanzas.shapes().map(({ name }) => name);
  expect(names).toEqual(Array.from({ length: 20 }, (_, n) => `kept ${n + 6}`));
});

test('from the 201st name on all others are counted together', () => {
  const stanzas = new UnhandledStanzas();
  for (let n = 1; n <= 203; n += 1) stanzas.countNew(`many${n}`, shape);
  stanzas.countNew('many200', shape);
  expect(counted('many200', 'no')).toBe(2);
  expect(counted('many201', 'no')).toBe(0);
  expect(counted('other', 'no')).toBe(3);
});

test('from the 101st of a first word on the others of it are counted together, and other words by themselves', () => {
  const stanzas = new UnhandledStanzas();
  for (let n = 1; n <= 102; n += 1) stanzas.countNew(`crowd ${n}`, shape);
  stanzas.countNew('quiet 1', shape);
  expect(counted('crowd 100', 'no')).toBe(1);
  expect(counted('crowd 101', 'no')).toBe(0);
  expect(counted('crowd other', 'no')).toBe(2);
  expect(counted('quiet 1', 'no')).toBe(1);
});
