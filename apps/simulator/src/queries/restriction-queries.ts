import { capFields, timelockFields } from '../people/restriction-notices.js';
import { newChatsOf, timelockOf } from '../people/restrictions.js';
import { child, type Stanza, stanza } from '../wire/nodes.js';
import type { QueryContext } from './query-context.js';

/** Ids of the client's questions (`QueryIds` of the library). */
const TIMELOCK_QUERY = '23983697327930364';
const CAP_QUERY = '24503548349331633';

/** Answers how the account is restricted, in the platform's GraphQL. Any other question is answered with nothing. */
export function restrictionQuery({ person }: QueryContext, request: Stanza): Stanza[] | undefined {
  const id = child(request, 'query')?.attrs.query_id;
  const { restrictions } = person;
  if (id === TIMELOCK_QUERY)
    return [result({ xwa2_fetch_account_reachout_timelock: timelockFields(timelockOf(restrictions)) })];
  if (id === CAP_QUERY) return [result({ xwa2_message_capping_info: capFields(newChatsOf(restrictions)) })];
  return undefined;
}

const result = (data: object): Stanza => stanza('result', {}, Buffer.from(JSON.stringify({ data })));
