import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import type { Connection } from './connection.js';
import { ConnectionPool } from './connection-pool.js';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

test('hosts that close connections without saying so are remembered for a minute, and then forgotten', () => {
  const pool = new ConnectionPool(() => undefined, 10);
  const remembered = (): number => pool['noKeepAliveUntil'].size;
  for (let n = 0; n < 1_000; n += 1) {
    pool.avoidKeepAlive({ origin: `https://host-${n}.example` } as Connection);
  }
  jest.advanceTimersByTime(59_000);
  expect(remembered()).toBe(1_000);
  jest.advanceTimersByTime(2_000);
  expect(remembered()).toBe(0);
  pool.close();
});
