import { expect, test } from '@jest/globals';
import { Calendar } from './calendar.js';

const at = (endpointId: string, dueAtMs: number, tenantId = 'tenant', partition = 1) => ({
  endpointId,
  tenantId,
  partition,
  dueAtMs,
});

test('keeps the earliest appointment of an endpoint and hands it out when it is due, once', () => {
  const calendar = new Calendar();
  for (const due of [30, 10, 20]) calendar.add(at('a', due));
  expect(calendar.nextIn(() => 0)).toBe(10);
  expect(calendar.takeDue(() => 9, 10)).toEqual([]);
  expect(calendar.takeDue(() => 10, 10)).toEqual([at('a', 10)]);
  expect(calendar.takeDue(() => 100, 10)).toEqual([]);
  expect(calendar.nextIn(() => 0)).toBe(Infinity);
});

test('goes by the time of each tenant', () => {
  const calendar = new Calendar();
  calendar.add(at('a', 1_000, 'sandbox'));
  calendar.add(at('b', 1_000, 'live'));
  const now = (tenantId: string): number => (tenantId === 'sandbox' ? 5_000 : 400);
  expect(calendar.takeDue(now, 10)).toEqual([at('a', 1_000, 'sandbox')]);
  expect(calendar.nextIn(now)).toBe(600);
  expect(calendar.tenants()).toEqual(['live']);
});

test('hands out no more than asked for and forgets a partition', () => {
  const calendar = new Calendar();
  for (const [index, name] of ['a', 'b', 'c', 'd'].entries()) calendar.add(at(name, 1, 'tenant', index % 2));
  expect(calendar.takeDue(() => 1, 1)).toHaveLength(1);
  calendar.drop(1);
  expect(calendar.takeDue(() => 1, 10).map(({ partition }) => partition)).toEqual([0]);
});
