import { describe, expect, test } from '@jest/globals';
import { Refusals } from '../../src/drills/upgrade/refusals.js';
import { PROCESSES, ROUNDS, type Round } from '../../src/drills/upgrade/rounds.js';

/** Plays a round; returns the sets of processes that are new after each step. */
function statesOf({ steps }: Round): string[][] {
  const isNew = new Set<string>();
  return steps.map((step) => {
    if (step.isNew) isNew.add(step.process);
    else isNew.delete(step.process);
    return [...isNew];
  });
}

describe('the rounds of an upgrade', () => {
  test.each(ROUNDS)('$name: every process goes forward once and back once', ({ steps }) => {
    for (const isNew of [true, false])
      expect(steps.filter((step) => step.isNew === isNew).map(({ process }) => process)).toEqual(
        expect.arrayContaining([...PROCESSES]),
      );
    expect(steps).toHaveLength(2 * PROCESSES.length);
  });

  test('have each service new among old ones, and each old among new ones, before whom it asks and after', () => {
    const [alone, readersFirst, writersFirst] = ROUNDS.map(statesOf) as [string[][], string[][], string[][]];
    for (const process of PROCESSES)
      if (process !== 'session-worker-2') expect(alone).toContainEqual([process]);
    expect(readersFirst[0]).toEqual(['limits']);
    expect(writersFirst[0]).toEqual(['api-gateway']);
    for (const states of [alone, readersFirst, writersFirst]) {
      const workers = states.map((state) => state.filter((name) => name.startsWith('session-worker')));
      expect(workers).toContainEqual(['session-worker']);
      expect(states.at(-1)).toEqual([]);
    }
  });
});

describe('a refused call', () => {
  const refusals = new Refusals();
  test.each([
    ['limits', '503 UPSTREAM_UNAVAILABLE', true],
    ['limits', '503 UPSTREAM_UNAVAILABLE MAINTENANCE GET /v1/limits', true],
    ['api-gateway', 'no answer GET /v1/limits', true],
    ['limits', 'no answer', false],
    ['limits', '504 UPSTREAM_TIMEOUT', false],
    ['session-worker', '400 SESSION_NOT_CONNECTED CONNECTION_LOST', false],
  ] as const)('while %s is replaced, with %s, may be: %s', (process, reason, may) => {
    const before = Object.keys(refusals.others).length;
    refusals.during({ process, isNew: true });
    refusals.add(reason);
    expect(Object.keys(refusals.others).length === before).toBe(may);
    expect(refusals.allowed).toEqual(
      expect.objectContaining({ '503 UPSTREAM_UNAVAILABLE': expect.any(Number) }),
    );
  });
});
