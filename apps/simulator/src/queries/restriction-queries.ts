import type { Person } from '../people/person.js';
import { isUsedUp, newChatsOf, type NewChatCap, timelockOf, type Timelock } from '../people/restrictions.js';
import { SERVER } from '../wire/jids.js';
import { child, seconds, type Stanza, stanza } from '../wire/nodes.js';
import type { QueryContext } from './queries.js';

/** Ids of the client's questions (`QueryIds` of the library). */
const TIMELOCK_QUERY = '23983697327930364';
const CAP_QUERY = '24503548349331633';

/** Questions in the platform's GraphQL: how the account is restricted. Any other is answered with nothing. */
export function mexQuery({ person }: QueryContext, request: Stanza): Stanza[] | undefined {
  const id = child(request, 'query')?.attrs.query_id;
  const { restrictions } = person;
  if (id === TIMELOCK_QUERY)
    return [result({ xwa2_fetch_account_reachout_timelock: timelockFields(timelockOf(restrictions)) })];
  if (id === CAP_QUERY) return [result({ xwa2_message_capping_info: capFields(newChatsOf(restrictions)) })];
  return undefined;
}

/** Tells the devices of an account that it is restricted, or that it is no longer. */
export function tellTimelock(person: Person): void {
  const data = { xwa2_notify_account_reachout_timelock: timelockFields(timelockOf(person.restrictions)) };
  tell(person, 'NotificationUserReachoutTimelockUpdate', data);
}

/** Tells the devices of an account how many new chats it may begin. */
export function tellNewChats(person: Person): void {
  const data = {
    xwa2_notify_new_chat_messages_capping_info_update: capFields(newChatsOf(person.restrictions)),
  };
  tell(person, 'MessageCappingInfoNotification', data);
}

function tell({ companions }: Person, operation: string, data: object): void {
  const update = stanza('update', { op_name: operation }, json({ data }));
  const attributes = { type: 'mex', from: SERVER, id: `mex-${operation}-${Date.now()}`, t: seconds() };
  const notice = stanza('notification', attributes, [update]);
  for (const { active, connection } of companions.values()) if (active) connection?.send(notice);
}

function timelockFields(timelock: Timelock | undefined): object {
  if (!timelock) return { is_active: false };
  const { type, until } = timelock;
  return {
    is_active: true,
    enforcement_type: type,
    ...(until === null ? {} : { time_enforcement_ends: String(seconds(Date.parse(until))) }),
  };
}

function capFields(cap: NewChatCap | undefined): object {
  if (!cap) return { capping_status: 'NONE' };
  return {
    total_quota: cap.quota,
    used_quota: cap.used,
    capping_status: isUsedUp(cap) ? 'CAPPED' : 'NONE',
    ...(cap.cycleEnd === null ? {} : { cycle_end_timestamp: String(seconds(Date.parse(cap.cycleEnd))) }),
    server_sent_timestamp: String(seconds()),
  };
}

const result = (data: object): Stanza => stanza('result', {}, json({ data }));
const json = (value: object): Buffer => Buffer.from(JSON.stringify(value));
