import { hiddenAddress, isGroup } from '@svc/contracts';
import type { ReceivedMessage } from '../people/messages.js';
import type { Person } from '../people/person.js';
import type { Population } from '../people/population.js';
import { seconds, type Stanza, stanza } from '../wire/nodes.js';
import { type Delivery, receiptKey } from './delivery.js';

const IDS_PER_RECEIPT = 100;

/** Answer of a receiver's phone to a message: a receipt or a request for a resend. The sender has its ack before. */
export type Reply = () => void;

/** This class sends the receipts of people for messages of an account. */
export class Receipts {
  constructor(
    private readonly population: Population,
    private readonly delivery: Delivery,
  ) {}

  /** Gives the receipts for a new message as the person's behaviour wants it: delivered, then perhaps read, each after its delay. */
  giveFor(person: Person, message: ReceivedMessage): void {
    const { behaviour } = person;
    if (!behaviour.online || behaviour.delivered === 'never') return;
    this.later(person, behaviour.deliveredDelayMs, () => {
      this.deliver(person, message);
      if (behaviour.read !== 'auto') return;
      this.later(person, behaviour.readDelayMs, () => this.read(person, message.from, [message]));
    });
  }

  /** Gives the receipts that are due after a change of behaviour or a restart. */
  catchUp(person: Person): void {
    for (const message of person.received) {
      const { behaviour } = person;
      if (!message.delivered) this.giveFor(person, message);
      else if (behaviour.online && behaviour.read === 'auto' && !message.read) {
        this.later(person, behaviour.readDelayMs, () => this.read(person, message.from, [message]));
      }
    }
  }

  /** Reads everything that came from an account. Returns how many messages were unread. */
  readAll(person: Person, from: string): number {
    const unread = person.received.filter((message) => message.from === from && !message.read);
    this.read(person, from, unread);
    return unread.length;
  }

  /** Plays every voice message and song that came from an account. Returns how many those are. */
  playAll(person: Person, from: string): number {
    const audible = person.received.filter((one) => one.from === from && one.content?.type === 'audio');
    for (const message of audible) {
      message.delivered = true;
      message.read = true;
      this.send(person, from, message.address, [message.id], 'played');
    }
    return audible.length;
  }

  /** Marks messages as read and gives read receipts, several ids in one. */
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
        this.send(person, from, address, ids, 'read');
      }
    }
  }

  private deliver(person: Person, message: ReceivedMessage): void {
    if (message.delivered) return;
    message.delivered = true;
    this.send(person, message.from, message.address, [message.id]);
  }

  private send(person: Person, from: string, address: string, ids: string[], type?: 'read' | 'played'): void {
    const [id, ...others] = ids;
    const account = this.population.get(from);
    if (!id || !account) return;
    const list = others.length > 0 ? [stanza('list', {}, others.map(itemNode))] : undefined;
    const participant = isGroup(address) ? hiddenAddress(person.lid) : undefined;
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
      // The person was removed in the meantime, or is offline: there is no device to give a receipt.
      if (this.population.get(person.phone) === person && person.behaviour.online) action();
    }, delayMs);
    timer.unref();
  }
}

const itemNode = (id: string): Stanza => stanza('item', { id });
