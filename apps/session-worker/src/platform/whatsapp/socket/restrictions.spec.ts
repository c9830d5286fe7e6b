import { expect, test } from '@jest/globals';
import { NewChatMessageCappingStatusType } from '@whiskeysockets/baileys';
import { newChatQuota, accountRestriction } from './restrictions.js';

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
