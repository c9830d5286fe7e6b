import type { Companion } from '../people/companion.js';
import type { Person } from '../people/person.js';
import type { Population } from '../people/population.js';
import { lidJid, parseJid, SERVER } from '../wire/jids.js';
import { children, seconds, type Stanza, stanza } from '../wire/nodes.js';

/** What somebody does in a chat. */
export const TYPING_STATES = ['composing', 'recording', 'paused'] as const;
export type TypingState = (typeof TYPING_STATES)[number];

/** What a person was shown of an account. */
export interface SeenTyping {
  state: TypingState;
  at: Date;
  /** How often it changed. */
  changes: number;
}

/** Who is there and who is writing. Nothing of it is kept for a device that is not connected. */
export class Presence {
  constructor(private readonly population: Population) {}

  /** A device says that it is there or not, or wants to be told about somebody. */
  heardPresence(companion: Companion, { attrs }: Stanza): void {
    const { type, to } = attrs;
    const person = to !== undefined && to !== SERVER ? this.population.find(to)?.person : undefined;
    if (type === 'available' || type === 'unavailable') companion.available = type === 'available';
    if (type !== 'subscribe' || !person || to === undefined) return;
    companion.watched.set(to, person);
    this.tell(companion, to, person);
  }

  /** A device says that its owner is writing to somebody. */
  heardTyping(owner: Person, node: Stanza): void {
    const person = this.population.find(node.attrs.to)?.person;
    const state = stateOf(children(node)[0]);
    if (!person || !state) return;
    const changes = (person.seenTyping.get(owner.phone)?.changes ?? 0) + 1;
    person.seenTyping.set(owner.phone, { state, at: new Date(), changes });
  }

  /** A person comes or goes; returns how many devices were told. */
  change(person: Person, available: boolean): number {
    person.available = available;
    let told = 0;
    for (const { companions } of this.population.all()) {
      for (const companion of companions.values()) {
        for (const [address, watched] of companion.watched) {
          if (watched === person && this.tell(companion, address, person)) told++;
        }
      }
    }
    return told;
  }

  /** A person writes to an account; returns how many devices were told. */
  type(person: Person, account: Person, state: TypingState): number {
    const action = state === 'recording' ? stanza('composing', { media: 'audio' }) : stanza(state);
    const node = stanza('chatstate', { from: lidJid(person.lid) }, [action]);
    const active = [...account.companions.values()].filter(({ active }) => active);
    return active.filter(({ connection }) => connection?.send(node)).length;
  }

  private tell({ connection, active }: Companion, address: string, { available }: Person): boolean {
    const type = available ? 'available' : 'unavailable';
    const last = available ? undefined : seconds();
    return (
      (active && parseJid(address) && connection?.send(stanza('presence', { from: address, type, last }))) ===
      true
    );
  }
}

function stateOf(action: Stanza | undefined): TypingState | undefined {
  if (action?.tag === 'composing') return action.attrs.media === 'audio' ? 'recording' : 'composing';
  return action?.tag === 'paused' ? 'paused' : undefined;
}
