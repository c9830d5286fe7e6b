import { EventEmitter } from 'node:events';
import { expect, test } from '@jest/globals';
import { NewChatMessageCappingStatusType } from '@whiskeysockets/baileys';
import type { PlatformListener, PlatformRestriction } from '../../port.js';
import type { LibrarySocket } from '../messages/outgoing.js';
import { accountRestriction, askRestrictions, newChatQuota, watchRestrictions } from './restrictions.js';

const { CAPPED, SECOND_WARNING } = NewChatMessageCappingStatusType;
const UNTIL = new Date('2100-01-01T00:00:00.000Z');
const cycle_end_timestamp = String(UNTIL.getTime() / 1000);

test.each([
  ['says so', { capping_status: CAPPED, cycle_end_timestamp }, true, UNTIL],
  ['warns', { capping_status: SECOND_WARNING, total_quota: 1, used_quota: 1 }, false, undefined],
  ['says only numbers', { total_quota: 5, used_quota: 5, cycle_end_timestamp }, true, UNTIL],
  ['says other numbers', { total_quota: 5, used_quota: 4 }, false, undefined],
  ['gives no end', { capping_status: CAPPED, cycle_end_timestamp: '0' }, true, undefined],
  ['gives an end that is none', { capping_status: CAPPED, cycle_end_timestamp: 'soon' }, true, undefined],
  ['says nothing', {}, false, undefined],
])('new chats are used up where the platform %s: %j', (_what, cap, isActive, until) => {
  expect(newChatQuota(cap)).toEqual({ reason: 'NEW_CHAT_QUOTA', isActive, until });
});

test('an account is restricted until the platform says otherwise, or to an end', () => {
  const reason = 'ACCOUNT_RESTRICTED';
  expect(accountRestriction({ isActive: true, timeEnforcementEnds: UNTIL })).toEqual({
    ...{ reason, isActive: true, until: UNTIL },
  });
  expect(accountRestriction({ isActive: true, timeEnforcementEnds: new Date(NaN) }).until).toBeUndefined();
  expect(accountRestriction({})).toEqual({ reason, isActive: false, until: undefined });
});

test('restrictions that the platform tells unasked are passed on, and nothing else', () => {
  const ev = new EventEmitter();
  const restrictions: PlatformRestriction[] = [];
  watchRestrictions(
    { ev } as unknown as LibrarySocket,
    { onRestriction: (one) => void restrictions.push(one) } as PlatformListener,
  );
  ev.emit('connection.update', { connection: 'open' });
  expect(restrictions).toEqual([]);
  ev.emit('connection.update', { reachoutTimeLock: { isActive: true, timeEnforcementEnds: UNTIL } });
  ev.emit('message-capping.update', { capping_status: CAPPED, cycle_end_timestamp });
  expect(restrictions).toEqual([
    { reason: 'ACCOUNT_RESTRICTED', isActive: true, until: UNTIL },
    { reason: 'NEW_CHAT_QUOTA', isActive: true, until: UNTIL },
  ]);
});

test('both restrictions are asked for; one that is not answered is left out', async () => {
  const fails = () => Promise.reject(new Error('no answer'));
  const sock = {
    fetchAccountReachoutTimelock: async () => ({ isActive: true }),
    fetchNewChatMessageCap: async () => ({ total_quota: 5, used_quota: 5 }),
  };
  const ask = (more: object) => askRestrictions({ ...sock, ...more } as unknown as LibrarySocket);
  const [account, quota] = [
    { reason: 'ACCOUNT_RESTRICTED', isActive: true, until: undefined },
    { reason: 'NEW_CHAT_QUOTA', isActive: true, until: undefined },
  ];
  expect(await ask({})).toEqual([account, quota]);
  expect(await ask({ fetchAccountReachoutTimelock: fails })).toEqual([quota]);
  expect(await ask({ fetchNewChatMessageCap: fails })).toEqual([account]);
});
