import { seconds, stanza } from '../wire/nodes.js';
import { notifyDevices } from './notifications.js';
import type { Person } from './person.js';
import { isUsedUp, type NewChatCap, newChatsOf, type Timelock, timelockOf } from './restrictions.js';

/** Notifies the devices of an account that it is restricted, or that it is no longer. */
export function notifyTimelock(person: Person): void {
  const fields = timelockFields(timelockOf(person.restrictions));
  notify(person, 'NotificationUserReachoutTimelockUpdate', { xwa2_notify_account_reachout_timelock: fields });
}

/** Notifies the devices of an account how many new chats it may begin. */
export function notifyNewChats(person: Person): void {
  const fields = capFields(newChatsOf(person.restrictions));
  notify(person, 'MessageCappingInfoNotification', {
    xwa2_notify_new_chat_messages_capping_info_update: fields,
  });
}

function notify(person: Person, operation: string, data: object): void {
  const update = stanza('update', { op_name: operation }, Buffer.from(JSON.stringify({ data })));
  notifyDevices(person, { type: 'mex', id: `mex-${operation}-${Date.now()}` }, update);
}

/** Writes a restriction in the fields of the platform's GraphQL. */
export function timelockFields(timelock: Timelock | undefined): object {
  if (!timelock) return { is_active: false };
  const { type, until } = timelock;
  return {
    is_active: true,
    enforcement_type: type,
    ...(until === null ? {} : { time_enforcement_ends: String(seconds(Date.parse(until))) }),
  };
}

/** Writes a cap on new chats in the fields of the platform's GraphQL. */
export function capFields(cap: NewChatCap | undefined): object {
  if (!cap) return { capping_status: 'NONE' };
  return {
    total_quota: cap.quota,
    used_quota: cap.used,
    capping_status: isUsedUp(cap) ? 'CAPPED' : 'NONE',
    ...(cap.cycleEnd === null ? {} : { cycle_end_timestamp: String(seconds(Date.parse(cap.cycleEnd))) }),
    server_sent_timestamp: String(seconds()),
  };
}
