import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { Reserve } from '@svc/contracts';
import { startTestService, type TestService } from '@svc/testing';
import { schema } from '../src/migrations/schema.js';
import { serviceOptions } from '../src/service-options.js';
import { admitted, freezeClock, repeat, reserveAll } from './sends.js';

let limits: TestService;

beforeAll(async () => {
  limits = await startTestService(serviceOptions, schema);
});
afterAll(() => limits.stop());

/** Fills the session's day and returns the refusal of one send more. */
async function refusalOfAFullDay() {
  const sends = repeat(11);
  await reserveAll(limits.rpc, sends.slice(0, 10));
  const { refusal } = await limits.rpc.request(Reserve, sends[10]!);
  return { sends, refusal };
}

describe('at frozen instants', () => {
  let thaw: (() => Promise<unknown>) | undefined;
  afterAll(() => thaw?.());

  const freeze = async (at: string): Promise<void> => {
    const first = await freezeClock(limits.database, at);
    thaw ??= first;
  };

  test.each([
    ['2026-03-10T00:00:00.000Z', '2026-03-11T00:00:00.000Z', 86_400],
    ['2026-03-10T12:00:00.001Z', '2026-03-11T00:00:00.000Z', 43_200],
    ['2026-12-31T23:59:58.999Z', '2027-01-01T00:00:00.000Z', 2],
    ['2028-02-28T23:59:59.999Z', '2028-02-29T00:00:00.000Z', 1],
  ])('at %s the day ends at %s, in %i seconds', async (now, resetAt, retryAfterSeconds) => {
    await freeze(now);
    const { refusal } = await refusalOfAFullDay();
    expect(refusal).toEqual({ layer: 'session', limit: 10, used: 10, resetAt, retryAfterSeconds });
  });

  test('one millisecond decides between the full day and the new one', async () => {
    await freeze('2026-05-01T23:59:59.999Z');
    const { sends, refusal } = await refusalOfAFullDay();
    expect(refusal?.retryAfterSeconds).toBe(1);
    await freeze('2026-05-02T00:00:00.000Z');
    const [send] = sends;
    const tomorrow = repeat(20, { tenantId: send!.tenantId, sessionId: send!.sessionId });
    expect(admitted(await reserveAll(limits.rpc, tomorrow))).toBe(10);
    const days = await limits.database.query(
      `SELECT day::text, used FROM limits.quota WHERE id = $1 ORDER BY day`,
      [send!.sessionId],
    );
    expect(days).toEqual([
      { day: '2026-05-01', used: 10 },
      { day: '2026-05-02', used: 10 },
    ]);
  });

  test('a job that was counted yesterday is not counted again today', async () => {
    await freeze('2026-05-03T23:59:59.999Z');
    const [send] = repeat(1);
    await limits.rpc.request(Reserve, send!);
    await freeze('2026-05-04T00:00:00.000Z');
    expect(await limits.rpc.request(Reserve, send!)).toMatchObject({ admitted: true });
    const days = await limits.database.query(
      `SELECT day::text, used FROM limits.quota WHERE id = $1 AND used > 0`,
      [send!.tenantId],
    );
    expect(days).toEqual([{ day: '2026-05-03', used: 1 }]);
  });
});

describe('with the clock of the installation', () => {
  afterEach(() => moveClock(0));

  const moveClock = (ms: number) => limits.database.query('SELECT public.svc_clock_set($1)', [ms]);
  const domainNow = async (): Promise<number> =>
    (await limits.database.query<{ now: Date }>('SELECT public.svc_now() AS now'))[0]!.now.getTime();

  test('moved to the next day, a full session may send again', async () => {
    const { sends } = await refusalOfAFullDay();
    await moveClock(24 * 3600 * 1000);
    const { tenantId, sessionId } = sends[0]!;
    expect(admitted(await reserveAll(limits.rpc, repeat(12, { tenantId, sessionId })))).toBe(10);
  });

  test('moved, Retry-After is right to the second and the process clock does not matter', async () => {
    await moveClock(Date.UTC(2031, 6, 1, 22, 13, 20) - Date.now());
    const before = await domainNow();
    const { refusal } = await refusalOfAFullDay();
    const after = await domainNow();
    const reset = Date.UTC(2031, 6, 2);
    expect(refusal?.resetAt).toBe(new Date(reset).toISOString());
    expect(refusal?.retryAfterSeconds).toBeLessThanOrEqual(Math.ceil((reset - before) / 1000));
    expect(refusal?.retryAfterSeconds).toBeGreaterThanOrEqual(Math.ceil((reset - after) / 1000));
  });

  test('a leap of the clock of the process changes nothing: the database says what day it is', async () => {
    const { sends, refusal } = await refusalOfAFullDay();
    jest.useFakeTimers({
      now: Date.now() + 36 * 3600 * 1000,
      doNotFake: [
        ...(['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate'] as const),
        ...(['clearImmediate', 'nextTick', 'queueMicrotask', 'performance', 'hrtime'] as const),
      ],
    });
    try {
      const { tenantId, sessionId } = sends[0]!;
      const [next] = repeat(1, { tenantId, sessionId });
      const after = await limits.rpc.request(Reserve, next!);
      expect(after).toMatchObject({ admitted: false, refusal: { resetAt: refusal?.resetAt } });
      expect(after.refusal?.retryAfterSeconds).toBeLessThanOrEqual(refusal!.retryAfterSeconds);
    } finally {
      jest.useRealTimers();
    }
  });
});
