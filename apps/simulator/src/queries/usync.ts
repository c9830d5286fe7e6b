import { hiddenAddress, isHidden, phoneAddress } from '@svc/contracts';
import type { Person } from '../people/person.js';
import type { Population } from '../people/population.js';
import { isPlausiblePhone } from '../wire/phone-number.js';
import { child, childrenNamed, children, type Stanza, stanza, textOf } from '../wire/nodes.js';
import type { QueryContext } from './query-context.js';

/** Answers with the people behind a list of numbers: registered or not, their devices, their other id. */
export function lookUpUsers({ population }: QueryContext, request: Stanza): Stanza[] {
  const usync = child(request, 'usync');
  const protocols = children(child(usync, 'query')).map((each) => each.tag);
  const users = childrenNamed(child(usync, 'list'), 'user').flatMap((user) => {
    const answer = describeUser(population, user, protocols);
    return answer ? [answer] : [];
  });
  return [stanza('usync', usync?.attrs ?? {}, [stanza('result'), stanza('list', {}, users)])];
}

function describeUser(population: Population, user: Stanza, protocols: string[]): Stanza | undefined {
  const number = textOf(child(user, 'contact'))?.replace(/\D/g, '');
  const asked = user.attrs.jid ?? (number && phoneAddress(number));
  if (!asked) return undefined;
  const person = personBehind(population, asked, number);
  // The address is echoed in the form it was asked for; a number is answered with the account's own spelling of it.
  const jid = number && person ? phoneAddress(person.phone) : asked;
  // A client that asks by the other id has it already, and complains when it is answered again.
  const isLid = isHidden(jid);
  const answered = protocols.filter((protocol) => !(isLid && protocol === 'lid'));
  const content = answered.flatMap((protocol) => answerTo(protocol, person));
  return stanza('user', { jid }, content);
}

function personBehind(population: Population, asked: string, number?: string): Person | undefined {
  if (!number) return population.find(asked)?.person;
  return isPlausiblePhone(number) ? population.lookUp(number) : undefined;
}

function answerTo(protocol: string, person: Person | undefined): Stanza[] {
  const registered = person?.registered ? person : undefined;
  if (protocol === 'contact') return [stanza('contact', { type: registered ? 'in' : 'out' })];
  if (protocol === 'devices')
    return [stanza('devices', {}, [stanza('device-list', {}, devicesOf(registered))])];
  if (protocol === 'lid' && registered) return [stanza('lid', { val: hiddenAddress(registered.lid) })];
  return [];
}

/** Lists the devices of a person; the client overlooks a companion without a key index. */
function devicesOf(person: Person | undefined): Stanza[] {
  if (!person) return [];
  const linked = [...person.companions.keys()].map((id) => stanza('device', { id, 'key-index': id }));
  return [stanza('device', { id: 0 }), ...linked];
}
