import { isUnanswered } from '../people/faults.js';
import { children, type Stanza, stanza } from '../wire/nodes.js';
import { activate } from './activation.js';
import { syncCollections } from './app-state.js';
import { describeGroup, listGroups } from './group-queries.js';
import { keyBundles, keyCount, keyDigest, rotateKey, uploadKeys } from './encrypt-queries.js';
import { deviceRemovedError } from '../wire/stream-errors.js';
import type { QueryContext } from './query-context.js';
import { restrictionQuery } from './restriction-queries.js';
import { lookUpUsers } from './usync.js';

type Answer = Stanza[] | undefined;
type QueryHandler = (context: QueryContext, request: Stanza) => Answer | Promise<Answer>;

/** Settings that the client asks for, to learn whose read receipts it may send; every person may see everything here. */
const PRIVACY = ['readreceipts', 'last', 'online', 'profile', 'status', 'groupadd', 'calladd', 'messages'];

/** The handlers by namespace, type and first child of a query. What is not listed gets an empty result, which the client accepts. */
const HANDLERS: Record<string, QueryHandler> = {
  'encrypt get count': keyCount,
  'encrypt get digest': keyDigest,
  'encrypt get key': keyBundles,
  'encrypt set registration': uploadKeys,
  'encrypt set rotate': rotateKey,
  'passive set active': becomeActive,
  'passive set passive': becomePassive,
  'abt get props': () => [stanza('props', { protocol: 1, hash: '1' }, [])],
  'blocklist get ': () => [stanza('list', {}, [])],
  'privacy get privacy': () => [stanza('privacy', {}, PRIVACY.map(openCategory))],
  'usync get usync': lookUpUsers,
  'w:sync:app:state set sync': syncCollections,
  'w:m set media_conn': ({ mediaConnection, person }) => [mediaConnection(person)],
  'w:g2 get query': describeGroup,
  'w:g2 get participating': listGroups,
  'w:mex get query': restrictionQuery,
  'md set remove-companion-device': logOut,
};

const openCategory = (name: string): Stanza => stanza('category', { name, value: 'all' });

/** Answers a query of a linked device, unless the account's faults leave it unanswered. */
export async function answerQuery(context: QueryContext, request: Stanza): Promise<void> {
  const { xmlns, type } = request.attrs;
  if (type !== 'get' && type !== 'set') return;
  if (isUnanswered(context.person.faults, xmlns ?? '')) return;
  if (xmlns === 'w:profile:picture') {
    context.connection.refuse(request, 404, 'item-not-found');
    return;
  }
  const handler = HANDLERS[`${xmlns} ${type} ${children(request)[0]?.tag ?? ''}`];
  const content = await handler?.(context, request);
  context.connection.reply(request, content);
  await afterReply(context, request);
}

/** Sends the backlog after the answer: before it the client is still busy with its own login. */
async function afterReply(context: QueryContext, request: Stanza): Promise<void> {
  if (request.attrs.xmlns === 'passive' && context.companion.active) await activate(context);
}

function becomeActive({ companion }: QueryContext): Answer {
  companion.active = true;
  return undefined;
}

function becomePassive({ companion }: QueryContext): Answer {
  companion.active = false;
  return undefined;
}

function logOut({ person, companion, connection, population }: QueryContext, request: Stanza): Answer {
  person.companions.delete(companion.device);
  population.touch(person);
  connection.reply(request);
  connection.end(deviceRemovedError());
  return undefined;
}
