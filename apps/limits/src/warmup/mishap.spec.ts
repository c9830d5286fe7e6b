import { expect, test } from '@jest/globals';
import { DISCONNECT_REASONS, type DisconnectReason, LOGOUT_REASONS, type LogoutReason } from '@svc/contracts';
import { mishapOf } from './mishap.js';

type EndReason = DisconnectReason | LogoutReason;

const PLANNED: EndReason[] = [
  ...(['USER_REQUEST', 'LOGOUT_REQUESTED', 'QR_EXPIRED', 'PROXY_CHANGED'] as const),
  ...(['MAINTENANCE', 'WORKER_LOST', 'CREDENTIALS_UNREADABLE'] as const),
];
const ENDS = Object.keys({ ...DISCONNECT_REASONS, ...LOGOUT_REASONS }) as EndReason[];
const UNPLANNED = ENDS.filter((reason) => !PLANNED.includes(reason));

test.each(PLANNED)('%s is no mishap: somebody wished it, or it is our own doing', (reason) => {
  expect(mishapOf('DISCONNECTED', reason)).toBeUndefined();
  expect(mishapOf('LOGGED_OUT', reason)).toBeUndefined();
});

test.each(UNPLANNED.filter((reason) => reason !== 'PLATFORM_REFUSED'))(
  '%s is a mishap of its kind',
  (reason) => {
    expect(mishapOf('DISCONNECTED', reason)).toBe('DISCONNECTED');
    expect(mishapOf('LOGGED_OUT', reason)).toBe('LOGGED_OUT');
  },
);

test('a number that the platform refuses is banned, however its connection ended', () => {
  expect(mishapOf('DISCONNECTED', 'PLATFORM_REFUSED')).toBe('LOGGED_OUT');
  expect(mishapOf('LOGGED_OUT', 'PLATFORM_REFUSED')).toBe('LOGGED_OUT');
});
