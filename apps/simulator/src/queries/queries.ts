import type { Delivery } from '../delivery/delivery.js';
import type { Companion } from '../people/companion.js';
import { isUnanswered } from '../people/faults.js';
import type { Groups } from '../people/groups.js';
import type { Person } from '../people/person.js';
import type { Population } from '../people/population.js';
import type { Connection } from '../connections/connection.js';
import { children, type Stanza, stanza } from '../wire/nodes.js';
import { syncCollections } from './app-state.js';
import { describeGroup, listGroups } from './group-queries.js';
import { keyBundles, keyCount, keyDigest, rotateKey, uploadKeys } from './encrypt-queries.js';
import { sendFirstSync } from './first-sync.js';
import { deviceRemoved } from '../connections/login.js';
import { mexQuery } from './restriction-queries.js';
import { lookUp } from './usync.js';

/** What an answer may depend on. */
export interface QueryContext {
  connection: Connection;
  person: Person;
  companion: Companion;
  population: Population;
  delivery: Delivery;
  groups: Groups;
  /** Where an account may leave files. */
  media(person: Person): Stanza;
}

type Answer = Stanza[] | undefined;
type QueryHandler = (context: QueryContext, request: Stanza) => Answer | Promise<Answer>;

/** The client asks whose read receipts it may send; everybody may see everything here. */
const PRIVACY = ['readreceipts', 'last', 'online', 'profile', 'status', 'groupadd', 'calladd', 'messages'];

/** By namespace, type and first child. What is not listed gets an empty result, which the client accepts. */
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
  'usync get usync': lookUp,
  'w:sync:app:state set sync': syncCollections,
  'w:m set media_conn': ({ media, person }) => [media(person)],
  'w:g2 get query': describeGroup,
  'w:g2 get participating': listGroups,
  'w:mex get query': mexQuery,
  'md set remove-companion-device': logOut,
};

const openCategory = (name: string): Stanza => stanza('category', { name, value: 'all' });

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

/** The backlog follows the answer: before it the client is still busy with its own login. */
async function afterReply(context: QueryContext, request: Stanza): Promise<void> {
  if (request.attrs.xmlns !== 'passive' || !context.companion.active) return;
  const { person, companion, delivery, population } = context;
  delivery.sendBacklog(person, companion);
  if (!companion.synced) await sendFirstSync(person, companion, delivery);
  companion.synced = true;
  population.touch(person);
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
  connection.end(deviceRemoved());
  return undefined;
}
