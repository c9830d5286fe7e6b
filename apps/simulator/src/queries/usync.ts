import type { Person } from '../people/person.js';
import { isPlausiblePhone, type Population } from '../people/population.js';
import { LID_DOMAIN, lidJid, phoneJid } from '../wire/jids.js';
import { child, childrenNamed, children, type Stanza, stanza, textOf } from '../wire/nodes.js';
import type { QueryContext } from './queries.js';

/** Who is behind a list of numbers: registered or not, which devices, which other id. */
export function lookUp({ population }: QueryContext, request: Stanza): Stanza[] {
  const usync = child(request, 'usync');
  const asked = children(child(usync, 'query')).map((each) => each.tag);
  const users = childrenNamed(child(usync, 'list'), 'user').flatMap((user) => {
    const answer = describe(population, user, asked);
    return answer ? [answer] : [];
  });
  return [stanza('usync', usync?.attrs ?? {}, [stanza('result'), stanza('list', {}, users)])];
}

function describe(population: Population, user: Stanza, asked: string[]): Stanza | undefined {
  const number = textOf(child(user, 'contact'))?.replace(/\D/g, '');
  const jid = user.attrs.jid ?? (number && phoneJid(number));
  if (!jid) return undefined;
  const person = number && !isPlausiblePhone(number) ? undefined : population.find(jid)?.person;
  // Somebody who asks by the other id knows it already, and the client complains about hearing it again.
  const known = jid.endsWith(`@${LID_DOMAIN}`);
  const protocols = asked.filter((protocol) => !(known && protocol === 'lid'));
  const content = protocols.flatMap((protocol) => answerTo(protocol, person));
  // The address is echoed in the form it was asked for.
  return stanza('user', { jid }, content);
}

function answerTo(protocol: string, person: Person | undefined): Stanza[] {
  const registered = person?.registered ? person : undefined;
  if (protocol === 'contact') return [stanza('contact', { type: registered ? 'in' : 'out' })];
  if (protocol === 'devices')
    return [stanza('devices', {}, [stanza('device-list', {}, devicesOf(registered))])];
  if (protocol === 'lid' && registered) return [stanza('lid', { val: lidJid(registered.lid) })];
  return [];
}

/** The client overlooks a companion that has no key index. */
function devicesOf(person: Person | undefined): Stanza[] {
  if (!person) return [];
  const linked = [...person.companions.keys()].map((id) => stanza('device', { id, 'key-index': id }));
  return [stanza('device', { id: 0 }), ...linked];
}
