import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { log } from '../logging/logger.js';
import { FairPlaces } from './fair-places.js';

/** Two places, five who want one, and who began in which order. */
function storm() {
  const places = new FairPlaces('logins', 2);
  const begun: string[] = [];
  const turns = ['a', 'b', 'c', 'd', 'e'].map((name) => places.enter(name, () => void begun.push(name)));
  return { begun, turns, places };
}

test('lets in as many as there are places, and one more for each that has ended', () => {
  const { begun, turns } = storm();
  expect(begun).toEqual(['a', 'b']);
  turns[1]?.leave();
  expect(begun).toEqual(['a', 'b', 'c']);
  turns[0]?.leave();
  turns[2]?.leave();
  expect(begun).toEqual(['a', 'b', 'c', 'd', 'e']);
});

test('does not call who has given up waiting, and leaving twice makes no second place', () => {
  const { begun, turns } = storm();
  turns[2]?.leave();
  turns[0]?.leave();
  turns[0]?.leave();
  expect(begun).toEqual(['a', 'b', 'd']);
});

test('has room again when all have left', () => {
  const { begun, turns, places } = storm();
  for (const turn of turns) turn.leave();
  places.enter('f', () => void begun.push('late'));
  expect(begun.at(-1)).toBe('late');
});

test('remembers no tenant whose work has ended, or was given up', () => {
  const { turns, places } = storm();
  expect(places['held'].size).toBe(2);
  for (const turn of turns) turn.leave();
  expect([places['held'], places['waiting'], places['underWay']].map(({ size }) => size)).toEqual([0, 0, 0]);
});

test('work that ends at once, while it begins, makes room for the next', () => {
  const places = new FairPlaces('logins', 1);
  const begun: string[] = [];
  const first = places.enter('a', () => void begun.push('first'));
  const second = places.enter('b', () => {
    begun.push('second');
    second.leave();
  });
  places.enter('c', () => void begun.push('third'));
  first.leave();
  expect(begun).toEqual(['first', 'second', 'third']);
});

describe('a tenant whose work takes long', () => {
  /** Four places, and a tenant that wants six. */
  function crowd() {
    const places = new FairPlaces('logins', 4);
    const begun: string[] = [];
    const enter = (tenant: string, name: string) => places.enter(tenant, () => void begun.push(name));
    const slow = [1, 2, 3, 4, 5, 6].map((n) => enter('slow', `slow ${n}`));
    return { begun, enter, slow };
  }

  test('leaves a place to others', () => {
    const { begun, enter } = crowd();
    expect(begun).toEqual(['slow 1', 'slow 2', 'slow 3']);
    enter('other', 'other 1');
    expect(begun.at(-1)).toBe('other 1');
  });

  test('comes after those who hold fewer places, and keeps its own order', () => {
    const { begun, enter, slow } = crowd();
    const first = enter('other', 'other 1');
    enter('other', 'other 2');
    enter('third', 'third 1');
    slow[0]?.leave();
    expect(begun.slice(4)).toEqual(['third 1']);
    slow[1]?.leave();
    expect(begun.slice(5)).toEqual(['slow 4']);
    first.leave();
    expect(begun.slice(6)).toEqual(['other 2']);
  });
});

describe('work that is run', () => {
  test('gives its place back when it has ended, whichever way', async () => {
    const places = new FairPlaces('files', 1);
    await expect(places.run('a', () => Promise.reject(new Error('broke off')))).rejects.toThrow('broke off');
    expect(await places.run('a', async () => 'done')).toBe('done');
  });

  test('that is given up while it waits is never begun', async () => {
    const places = new FairPlaces('files', 1);
    const first = places.enter('a', () => undefined);
    const stop = new AbortController();
    const begun = jest.fn(async () => undefined);
    const waiting = [stop.signal, AbortSignal.abort(new Error('not wanted'))].map((signal) =>
      places.run('b', begun, signal),
    );
    stop.abort(new Error('not wanted'));
    for (const work of waiting) await expect(work).rejects.toThrow('not wanted');
    first.leave();
    expect(begun).not.toHaveBeenCalled();
    expect(await places.run('c', async () => 'free')).toBe('free');
  });
});

afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

test('says every second how many wait, as long as any does, and begins again with the next ones', () => {
  jest.useFakeTimers();
  const logged = jest.spyOn(log(), 'info').mockReturnValue(undefined);
  const pass = (ms: number): unknown[] => {
    logged.mockClear();
    jest.advanceTimersByTime(ms);
    return logged.mock.calls;
  };
  const places = new FairPlaces('logins', 1);
  const first = places.enter('a', () => undefined);
  expect(jest.getTimerCount()).toBe(0);
  const others = [1, 2].map(() => places.enter('a', () => undefined));
  expect(pass(999)).toEqual([]);
  expect(pass(1)).toEqual([[{ waiting: 2, inFlight: 1 }, 'logins wait']]);
  first.leave();
  expect(pass(2_000)).toEqual([
    [{ waiting: 1, inFlight: 1 }, 'logins wait'],
    [{ waiting: 1, inFlight: 1 }, 'logins wait'],
  ]);
  others[0]?.leave();
  expect(pass(5_000)).toEqual([]);
  expect(jest.getTimerCount()).toBe(0);
  places.enter('a', () => undefined);
  expect(pass(1_000)).toEqual([[{ waiting: 1, inFlight: 1 }, 'logins wait']]);
});
