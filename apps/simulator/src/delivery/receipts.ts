import { isGroupJid } from '../people/groups.js';
import type { ReceivedMessage } from '../people/messages.js';
import type { Person } from '../people/person.js';
import type { Population } from '../people/population.js';
import { lidJid } from '../wire/jids.js';
import { seconds, type Stanza, stanza } from '../wire/nodes.js';
import { type Delivery, receiptKey } from './delivery.js';

const IDS_PER_RECEIPT = 100;

/** What people tell an account about the messages that reached them. */
export class Receipts {
  constructor(
    private readonly population: Population,
    private readonly delivery: Delivery,
  ) {}

  /** As the person's behaviour wants it: delivered, then perhaps read, each after its delay. */
  arrived(person: Person, message: ReceivedMessage): void {
    const { behaviour } = person;
    if (!behaviour.online || behaviour.delivered === 'never') return;
    this.later(person, behaviour.deliveredDelayMs, () => {
      this.deliver(person, message);
      if (behaviour.read !== 'auto') return;
      this.later(person, behaviour.readDelayMs, () => this.read(person, message.from, [message]));
    });
  }

  /** After a change of behaviour or a restart: gives the receipts that are due by now. */
  catchUp(person: Person): void {
    for (const message of person.received) {
      const { behaviour } = person;
      if (!message.delivered) this.arrived(person, message);
      else if (behaviour.online && behaviour.read === 'auto' && !message.read) {
        this.later(person, behaviour.readDelayMs, () => this.read(person, message.from, [message]));
      }
    }
  }

  /** The person opens the chat: everything unread there is read now. Returns how many that were. */
  readAll(person: Person, from: string): number {
    const unread = person.received.filter((message) => message.from === from && !message.read);
    this.read(person, from, unread);
    return unread.length;
  }

  /** The person listens to every voice message and song from there. Returns how many those are. */
  playAll(person: Person, from: string): number {
    const audible = person.received.filter((one) => one.from === from && one.content?.type === 'audio');
    for (const message of audible) {
      message.delivered = true;
      message.read = true;
      this.tell(person, from, message.address, [message.id], 'played');
    }
    return audible.length;
  }

  read(person: Person, from: string, messages: ReceivedMessage[]): void {
    const fresh = messages.filter((message) => !message.read);
    for (const message of fresh) {
      message.read = true;
      message.delivered = true;
    }
    for (const address of new Set(fresh.map((message) => message.address))) {
      const group = fresh.filter((message) => message.address === address);
      for (let start = 0; start < group.length; start += IDS_PER_RECEIPT) {
        const ids = group.slice(start, start + IDS_PER_RECEIPT).map((message) => message.id);
        this.tell(person, from, address, ids, 'read');
      }
    }
  }

  private deliver(person: Person, message: ReceivedMessage): void {
    if (message.delivered) return;
    message.delivered = true;
    this.tell(person, message.from, message.address, [message.id]);
  }

  private tell(person: Person, from: string, address: string, ids: string[], type?: 'read' | 'played'): void {
    const [id, ...others] = ids;
    const account = this.population.get(from);
    if (!id || !account) return;
    const list = others.length > 0 ? [stanza('list', {}, others.map(itemNode))] : undefined;
    const participant = isGroupJid(address) ? lidJid(person.lid) : undefined;
    const node = stanza('receipt', { id, from: address, participant, type, t: seconds() }, list);
    const key = receiptKey(type ?? 'delivered', id, participant);
    for (const companion of account.companions.values()) {
      this.delivery.enqueue(account, companion, { key, node });
    }
    this.population.touch(person);
  }

  private later(person: Person, delayMs: number, action: () => void): void {
    if (delayMs <= 0) return action();
    const timer = setTimeout(() => {
      // Forgotten in the meantime, or offline: nobody is there to give a receipt.
      if (this.population.get(person.phone) === person && person.behaviour.online) action();
    }, delayMs);
    timer.unref();
  }
}

const itemNode = (id: string): Stanza => stanza('item', { id });
