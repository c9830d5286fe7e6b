import { beforeEach, expect, test } from '@jest/globals';
import { Calendar } from './calendar.js';

const at = (endpointId: string, dueAtMs: number, tenantId = 'tenant', partition = 1) => ({
  endpointId,
  tenantId,
  partition,
  dueAtMs,
});

let realMs: number;
/** Lead of the domain time of a tenant before real time. */
let ahead: Record<string, number>;
let calendar: Calendar;

beforeEach(() => {
  realMs = 0;
  ahead = {};
  calendar = new Calendar(
    (tenantId) => realMs + (ahead[tenantId] ?? 0),
    () => realMs,
  );
});

test('keeps the earliest appointment of an endpoint and hands it out when it is due, once', () => {
  for (const due of [30, 10, 20]) calendar.add(at('a', due));
  expect(calendar.nextIn()).toBe(10);
  realMs = 9;
  expect(calendar.takeDue(10)).toEqual([]);
  realMs = 10;
  expect(calendar.takeDue(10)).toEqual([at('a', 10)]);
  realMs = 100;
  expect(calendar.takeDue(10)).toEqual([]);
  expect(calendar.nextIn()).toBe(Infinity);
});

test('has the next one in view after each that it hands out, and one that comes before it', () => {
  for (const [name, due] of [
    ['a', 10],
    ['b', 25],
  ] as const)
    calendar.add(at(name, due));
  realMs = 12;
  expect(calendar.takeDue(10)).toEqual([at('a', 10)]);
  expect(calendar.nextIn()).toBe(13);
  calendar.add(at('c', 20));
  expect(calendar.nextIn()).toBe(8);
  realMs = 25;
  expect(calendar.takeDue(10)).toEqual([at('b', 25), at('c', 20)]);
});

test('goes by the time of each tenant', () => {
  ahead = { sandbox: 5_000, live: 400 };
  calendar.add(at('a', 1_000, 'sandbox'));
  calendar.add(at('b', 1_000, 'live'));
  expect(calendar.takeDue(10)).toEqual([at('a', 1_000, 'sandbox')]);
  expect(calendar.nextIn()).toBe(600);
  expect(calendar.tenants()).toEqual(['live']);
});

test('knows what is due by a clock that was moved once it has looked', () => {
  calendar.add(at('a', 1_000, 'sandbox'));
  ahead = { sandbox: 2_000 };
  calendar.recompute();
  expect(calendar.nextIn()).toBe(0);
  expect(calendar.takeDue(10)).toEqual([at('a', 1_000, 'sandbox')]);
});

test('hands out no more than asked for, the rest at once again, and forgets a partition', () => {
  for (const [index, name] of ['a', 'b', 'c', 'd'].entries()) calendar.add(at(name, 1, 'tenant', index % 2));
  realMs = 1;
  expect(calendar.takeDue(1)).toHaveLength(1);
  expect(calendar.nextIn()).toBe(0);
  calendar.drop(1);
  expect(calendar.takeDue(10).map(({ partition }) => partition)).toEqual([0]);
});
