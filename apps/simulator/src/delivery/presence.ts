import { hiddenAddress, parseAddress } from '@svc/contracts';
import type { Companion } from '../people/companion.js';
import type { Group, Groups } from '../people/groups.js';
import type { Person } from '../people/person.js';
import type { Population } from '../people/population.js';
import type { TypingState } from '../people/typing.js';
import { children, seconds, SERVER, type Stanza, stanza } from '../wire/nodes.js';

/** This class passes on the presence and the typing of people. A device that is not connected gets none of it later. */
export class Presence {
  constructor(
    private readonly population: Population,
    private readonly groups: Groups,
  ) {}

  /** Takes the presence of a device, or its subscription to the presence of another person. */
  receivePresence(companion: Companion, { attrs }: Stanza): void {
    const { type, to } = attrs;
    const person = to !== undefined && to !== SERVER ? this.population.find(to)?.person : undefined;
    if (type === 'available' || type === 'unavailable') companion.available = type === 'available';
    if (type !== 'subscribe' || !person || to === undefined) return;
    companion.presenceSubscriptions.set(to, person.phone);
    this.sendPresence(companion, to, person);
  }

  /** Takes the word of a device that its owner is writing to somebody, or in a group. */
  receiveTyping(owner: Person, node: Stanza): void {
    const state = stateOf(children(node)[0]);
    const group = this.groups.find(node.attrs.to);
    if (!state) return;
    for (const { seenTyping } of this.readersOf(owner, node.attrs.to, group)) {
      const chat = `${owner.phone}|${group?.jid ?? ''}`;
      const changes = (seenTyping.get(chat)?.changes ?? 0) + 1;
      const seen = { from: owner.phone, group: group?.jid ?? null, state, at: new Date(), changes };
      seenTyping.set(chat, seen);
    }
  }

  /** Changes the presence of a person; returns the number of devices that were notified. */
  change(person: Person, available: boolean): number {
    person.available = available;
    let count = 0;
    for (const { companions } of this.population.all()) {
      for (const companion of companions.values()) {
        for (const [address, phone] of companion.presenceSubscriptions) {
          if (phone === person.phone && this.sendPresence(companion, address, person)) count++;
        }
      }
    }
    return count;
  }

  /** Shows an account that a person writes to it; returns the number of devices that were notified. */
  type(person: Person, account: Person, state: TypingState): number {
    const action = state === 'recording' ? stanza('composing', { media: 'audio' }) : stanza(state);
    const node = stanza('chatstate', { from: hiddenAddress(person.lid) }, [action]);
    const active = [...account.companions.values()].filter(({ active }) => active);
    return active.filter(({ connection }) => connection?.send(node)).length;
  }

  /** Finds the people who see that somebody writes to an address: the other members of the group, or the person. */
  private readersOf(owner: Person, to: string | undefined, group: Group | undefined): Person[] {
    if (group) return group.members.filter((member) => member !== owner);
    const person = this.population.find(to)?.person;
    return person ? [person] : [];
  }

  private sendPresence({ connection, active }: Companion, address: string, { available }: Person): boolean {
    const type = available ? 'available' : 'unavailable';
    const last = available ? undefined : seconds();
    return (
      (active &&
        parseAddress(address) &&
        connection?.send(stanza('presence', { from: address, type, last }))) === true
    );
  }
}

function stateOf(action: Stanza | undefined): TypingState | undefined {
  if (action?.tag === 'composing') return action.attrs.media === 'audio' ? 'recording' : 'composing';
  return action?.tag === 'paused' ? 'paused' : undefined;
}
