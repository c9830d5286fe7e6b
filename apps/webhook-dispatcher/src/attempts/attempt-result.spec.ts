import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  type AttemptResult,
  mayChangeState,
  outcomeOf,
  remainingMs,
  responseOf,
  retryDelay,
  runEffectOf,
  runsOf4xx,
} from './attempt-result.js';

const aResult = (status: number, fields: Partial<AttemptResult> = {}): AttemptResult =>
  ({
    item: { endpointId: 'e' },
    status,
    error: null,
    generation: 1,
    recovering: false,
    newSecretUntil: null,
    ...fields,
  }) as AttemptResult;
const runOf = (...statuses: number[]) => runsOf4xx(statuses.map((status) => aResult(status)))[0];

test('a run of permanent 4xx continues that of the endpoint until something else comes', () => {
  expect(runOf(404, 410)).toMatchObject({ lead: 2, broken: false, peak: 0, tail: 2 });
  expect(runOf(404, 200)).toMatchObject({ lead: 1, broken: true, peak: 0, tail: 0 });
  expect(runOf(404, 500, 404, 404)).toMatchObject({ lead: 1, broken: true, peak: 2, tail: 2 });
  expect(runOf(429, 404, 404, 404, 404, 404, 200, 404)).toMatchObject({
    lead: 0,
    broken: true,
    peak: 5,
    tail: 1,
  });
});

test('an answer that speaks of the content leaves a run as it is', () => {
  expect(runOf(400, 422)).toMatchObject({ lead: 0, broken: false, peak: 0, tail: 0 });
  expect(runOf(404, 400, 404)).toMatchObject({ lead: 2, broken: false, peak: 0, tail: 2 });
  expect(runOf(500, 404, 413, 404)).toMatchObject({ lead: 0, broken: true, peak: 2, tail: 2 });
});

test('a run says which new secret the receiver knows, by a success under it', () => {
  const newSecretUntil = new Date();
  const of = (...results: AttemptResult[]) => runsOf4xx(results)[0];
  expect(of(aResult(401, { newSecretUntil, error: 'HTTP_401' }))).toMatchObject({ lead: 0, knows: null });
  expect(of(aResult(200, { newSecretUntil }), aResult(200))).toMatchObject({ knows: newSecretUntil });
});

test('endpoints and generations are counted apart', () => {
  const results = [aResult(404), aResult(404, { generation: 2 }), aResult(200, { generation: 2 })];
  expect(runsOf4xx(results).map(({ generation, tail }) => [generation, tail])).toEqual([
    [1, 1],
    [2, 0],
  ]);
});

test('an answer from before a reactivation goes on with the run it belongs to, whoever came between', () => {
  const of = (endpointId: string, generation: number) =>
    aResult(404, { item: { endpointId } as AttemptResult['item'], generation });
  const results = [of('a', 1), of('b', 1), of('a', 2), of('b', 1), of('a', 1), of('a', 2)];
  expect(
    runsOf4xx(results).map(({ endpointId, generation, lead }) => [endpointId, generation, lead]),
  ).toEqual([
    ['a', 1, 2],
    ['b', 1, 2],
    ['a', 2, 2],
  ]);
});

test('a batch may change the state of an endpoint where it holds a permanent 4xx, or the first success since a reactivation', () => {
  const isChange = (...results: AttemptResult[]) => mayChangeState(runsOf4xx(results));
  expect(isChange(aResult(200), aResult(503, { error: 'HTTP_503' }))).toBe(false);
  expect(isChange(aResult(200), aResult(404, { error: 'HTTP_404' }))).toBe(true);
  expect(isChange(aResult(200, { recovering: true }), aResult(200))).toBe(true);
  expect(isChange(aResult(503, { recovering: true, error: 'HTTP_503' }))).toBe(false);
  // A change of one endpoint of the batch is enough.
  expect(isChange(aResult(200), aResult(404, { generation: 2, error: 'HTTP_404' }))).toBe(true);
  expect(isChange()).toBe(false);
});

test('a receiver takes a delivery, answers with an error, or is silent', () => {
  expect(responseOf(aResult(200))).toBe('ok');
  expect(responseOf(aResult(503, { error: 'HTTP_503' }))).toBe('error');
  expect(responseOf(aResult(200, { status: null, error: 'TIMEOUT' }))).toBe('silent');
});

test('an attempt delivers, is tried again or was the last', () => {
  expect(outcomeOf(aResult(200))).toBe('delivered');
  expect(outcomeOf(aResult(500, { error: 'HTTP_500', retryInMs: 10 }))).toBe('retry');
  expect(outcomeOf(aResult(500, { error: 'HTTP_500' }))).toBe('dead');
});

test('the delay counts from the end of the attempt, however long its result waits to be written', () => {
  expect(remainingMs(aResult(500, { retryInMs: 1_000, endedAtMs: 500 }), 900)).toBe(600);
  expect(remainingMs(aResult(500, { retryInMs: 100, endedAtMs: 500 }), 900)).toBe(0);
  expect(remainingMs(aResult(200), 900)).toBeNull();
});

test.each([
  ['the address', 'COUNTS', [401, 403, 404, 405, 410, 414, 451]],
  ['the content', 'NONE', [400, 402, 406, 409, 413, 415, 422, 499]],
  ['the moment', 'ENDS', [408, 425, 429, 302, 500, 503, null]],
  ['the delivery', 'ENDS', [200, 204]],
])('answers that speak of %s: %s', (_, effect, statuses) => {
  const effects = statuses.map((status) => runEffectOf({ status, newSecretUntil: null }));
  expect(new Set(effects)).toEqual(new Set([effect]));
});

test('401 and 403 do not count under a secret that the receiver may not know yet; 404 does', () => {
  const effects = [401, 403, 404].map((status) => runEffectOf({ status, newSecretUntil: new Date() }));
  expect(effects).toEqual(['NONE', 'NONE', 'COUNTS']);
});

describe('the schedule of attempts', () => {
  const DELAYS = [0, 30_000, 120_000, 600_000, 3_600_000];

  test('follows the schedule of the specification when there is no jitter', () => {
    expect([1, 2, 3, 4].map((failed) => retryDelay(failed, DELAYS, 0))).toEqual(DELAYS.slice(1));
  });

  test('knows no sixth attempt', () => {
    expect(retryDelay(5, DELAYS)).toBeUndefined();
    expect(retryDelay(6, DELAYS)).toBeUndefined();
  });

  test('is never early, and late by four per cent at most: the fifth is for the way from the clock to the POST', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }),
        fc.double({ min: 0, max: 0.999999, noNaN: true }),
        (failed, random) => {
          const delay = DELAYS[failed] ?? 0;
          const actual = retryDelay(failed, DELAYS, random) ?? 0;
          expect(actual).toBeGreaterThanOrEqual(delay);
          expect(actual).toBeLessThanOrEqual(delay * 1.04 + 1);
        },
      ),
    );
  });
});
