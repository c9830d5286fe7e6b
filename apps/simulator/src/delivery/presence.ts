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
    // Without a type it says that the owner is there, even where the client only meant to tell a name.
    if (type === undefined || type === 'available') companion.setAvailable(true);
    if (type === 'unavailable') companion.setAvailable(false);
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
    const told = [...account.companions.values()].filter(isTold);
    return told.filter(({ connection }) => connection?.send(node)).length;
  }

  /** Finds the people who see that somebody writes to an address: the other members of the group, or the person. */
  private readersOf(owner: Person, to: string | undefined, group: Group | undefined): Person[] {
    if (group) return group.members.filter((member) => member !== owner);
    const person = this.population.find(to)?.person;
    return person ? [person] : [];
  }

  private sendPresence(companion: Companion, address: string, { available }: Person): boolean {
    if (!isTold(companion) || !parseAddress(address)) return false;
    const type = available ? 'available' : 'unavailable';
    const last = available ? undefined : seconds();
    return companion.connection?.send(stanza('presence', { from: address, type, last })) === true;
  }
}

/** Says whether a device is told what others do: only one whose own owner is there. */
const isTold = ({ active, available }: Companion): boolean => active && available;

function stateOf(action: Stanza | undefined): TypingState | undefined {
  if (action?.tag === 'composing') return action.attrs.media === 'audio' ? 'recording' : 'composing';
  return action?.tag === 'paused' ? 'paused' : undefined;
}
