import { expect, test } from '@jest/globals';
import { closeOf, malfunction } from './close-codes.js';

test.each([
  [401, 'logged-out', 'UNLINKED'],
  [440, 'stop', 'REPLACED'],
  [403, 'stop', 'PLATFORM_REFUSED'],
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

test('a socket that did not work is opened anew later, for the reason that was found', () => {
  expect(malfunction('UNANSWERED')).toMatchObject({
    next: 'later',
    reason: 'UNANSWERED',
    isMalfunction: true,
  });
});
