import { EventEmitter } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { comesBack, type DisconnectReason } from '@svc/contracts';
import type { LibrarySocket } from '../messages/outgoing.js';
import { banEnd, closeCodes, closeOf, CUT, DEAF, malfunction, REFUSED } from './close-codes.js';

test.each([
  [401, 'logged-out', 'UNLINKED'],
  [440, 'stop', 'REPLACED'],
  [402, 'later', 'TEMPORARILY_BANNED'],
  [403, 'stop', 'PLATFORM_REFUSED'],
  [405, 'later', 'CLIENT_OUTDATED'],
  [406, 'stop', 'BANNED'],
  [409, 'later', 'CLIENT_OUTDATED'],
  [411, 'stop', 'PLATFORM_REFUSED'],
  [515, 'again', 'RESTART_REQUIRED'],
  [428, 'later', 'CONNECTION_LOST'],
  [408, 'later', 'KEEP_ALIVE_TIMEOUT'],
  [503, 'later', 'PLATFORM_ERROR'],
  [500, 'later', 'PLATFORM_ERROR'],
  [463, 'later', 'CONNECTION_REFUSED'],
])('after close code %d: %s, because %s', (code, next, reason) => {
  expect(closeOf(code)).toEqual({ next, reason, isMalfunction: false, code });
});

test.each([402, 403, 405, 406, 408, 409, 411, 428, 440, 463, 500, 503])(
  'what is said of the reason after close code %d, whether it comes back by itself, is what happens',
  (code) => {
    const { next, reason } = closeOf(code);
    expect(comesBack(reason as DisconnectReason)).toBe(next === 'later');
  },
);

test('a socket that did not work is opened anew later, for the reason that was found', () => {
  expect(malfunction('UNANSWERED')).toMatchObject({
    next: 'later',
    reason: 'UNANSWERED',
    isMalfunction: true,
  });
});

describe('a ban for a time', () => {
  const NOW = 1_800_000_000_000;
  const endOf = (expire?: unknown) => banEnd(402, { data: { reason: '402', expire } }, NOW)?.getTime();

  test.each([
    ['in seconds', '3600', NOW + 3_600_000],
    ['at a moment since 1970', '1800000060', NOW + 60_000],
    ['an hour from now where it does not say', undefined, NOW + 3_600_000],
    ['an hour from now where that is no time', 'soon', NOW + 3_600_000],
    ['an hour from now where that is over', '0', NOW + 3_600_000],
  ])('ends %s', (_how, expire, end) => {
    expect(endOf(expire)).toBe(end);
  });

  test('is no other refusal', () => {
    expect(banEnd(403, { data: { expire: '60' } }, NOW)).toBeUndefined();
  });
});

describe('the close code of an error', () => {
  /** A socket of the library, and the code that it has for an error. */
  function aSocket() {
    const ws = new EventEmitter();
    const codeOf = closeCodes({ ws } as unknown as LibrarySocket);
    return { codeOf, open: () => ws.emit('open') };
  }
  const anError = (statusCode?: number, code?: unknown): object => ({
    output: { statusCode },
    data: { code },
  });

  test('is the library’s own, also while the platform is silent', () => {
    const { codeOf, open } = aSocket();
    for (const step of [() => undefined, open]) {
      step();
      expect(codeOf(anError(401))).toBe(401);
      expect(codeOf(anError(503, 'ECONNREFUSED'))).toBe(503);
      expect(codeOf(anError(DEAF))).toBe(DEAF);
      expect(codeOf(anError(DEAF, 'ETIMEDOUT'))).toBe(DEAF);
      expect(codeOf(anError(DEAF, 7))).toBe(DEAF);
      expect(codeOf({ output: { statusCode: DEAF } })).toBe(DEAF);
    }
  });

  test('is that of a shut door where the network says that nobody is there, and that of a cut after it was open', () => {
    const { codeOf, open } = aSocket();
    expect(codeOf(anError(DEAF, 'ECONNREFUSED'))).toBe(REFUSED);
    open();
    expect(codeOf(anError(DEAF, 'ECONNRESET'))).toBe(CUT);
  });

  test('is that of a cut where the library has none', () => {
    const { codeOf } = aSocket();
    for (const error of [undefined, null, new Error('no'), {}, anError(), anError(undefined, 'ECONNRESET')])
      expect(codeOf(error)).toBe(CUT);
  });
});
