import type { Companion, QueuedStanza } from '../people/companion.js';
import type { StanzaFlaws } from '../people/faults.js';
import { advance, type SentMessage } from '../people/messages.js';
import type { Person } from '../people/person.js';
import type { Population } from '../people/population.js';
import { bytesOf, children, type Stanza, stanza } from '../wire/nodes.js';

/** This class keeps every stanza until its companion has confirmed it, and sends it while the companion is active. */
export class Delivery {
  constructor(private readonly population: Population) {}

  /** Puts a stanza into the queue of a companion. */
  enqueue(person: Person, companion: Companion, item: Omit<QueuedStanza, 'attempts'>): void {
    const queued: QueuedStanza = { ...item, attempts: 0 };
    companion.queue.set(item.key, queued);
    if (companion.active) this.transmit(companion, queued);
    this.population.touch(person);
  }

  /** Sends the whole queue, marked as backlog, then the notice of its end; of one that is held back, what holds it. */
  sendBacklog(person: Person, companion: Companion): void {
    companion.active = true;
    const holding = holdingBack(companion);
    const items = holding.length > 0 ? holding : [...companion.queue.values()];
    for (const item of items) this.transmit(companion, item, true);
    companion.connection?.send(stanza('ib', {}, [stanza('offline', { count: items.length })]));
    if (items.length > 0) this.population.touch(person);
  }

  /** Notes that a client has refused a stanza, and that what comes after it waits at the next login. */
  holdBack(person: Person, companion: Companion, key: string): void {
    const item = companion.queue.get(key);
    if (!item) return;
    item.holdsBack = true;
    this.population.touch(person);
  }

  /** Sends what came up while a connection was silent: it was never on the wire. */
  sendUnsent(person: Person): void {
    for (const companion of person.companions.values()) {
      const unsent = [...companion.queue.values()].filter((item) => item.attempts === 0);
      if (companion.active) for (const item of unsent) this.transmit(companion, item);
    }
    this.population.touch(person);
  }

  /** Replaces a stanza in place, with the same id, and sends it again. */
  resend(person: Person, companion: Companion, item: QueuedStanza, node: Stanza): void {
    item.node = node;
    if (companion.active) this.transmit(companion, item);
    this.population.touch(person);
  }

  /** Removes a stanza that its companion has confirmed. */
  confirm(person: Person, companion: Companion, key: string): QueuedStanza | undefined {
    const item = companion.queue.get(key);
    if (!item) return undefined;
    companion.queue.delete(key);
    this.population.touch(person);
    const isLast = item.holdsBack && holdingBack(companion).length === 0;
    if (isLast && companion.active) this.sendBacklog(person, companion);
    return item;
  }

  private transmit(companion: Companion, item: QueuedStanza, backlog = false): void {
    const node = backlog ? { ...item.node, attrs: { ...item.node.attrs, offline: '1' } } : item.node;
    const { undecryptable, copies } = item.flaws ?? FLAWLESS;
    const sent = undecryptable > 0 ? broken(node) : node;
    for (let copy = 0; copy < copies; copy++) {
      if (!companion.connection?.send(sent)) return;
      item.attempts++;
      if (item.sent) countDelivery(item.sent);
    }
    if (item.flaws) item.flaws = { undecryptable: Math.max(0, undecryptable - 1), copies: 1 };
  }
}

const FLAWLESS: StanzaFlaws = { undecryptable: 0, copies: 1 };

function countDelivery(sent: SentMessage): void {
  sent.deliveries++;
  advance(sent, 'SENT');
}

const holdingBack = ({ queue }: Companion): QueuedStanza[] =>
  [...queue.values()].filter(({ holdsBack }) => holdsBack);

/** Names a stanza of a call in a queue. */
export const callKey = (id: string): string => `call/${id}`;

export const messageKey = (id: string): string => `message/${id}`;

export const notificationKey = (id: string): string => `notification/${id}`;

/** Names a receipt in a queue; in a group each member gives one of its own. */
export const receiptKey = (type: string, id: string, participant?: string): string =>
  ['receipt', type, id, participant].filter((part) => part !== undefined).join('/');

/** Distance of a sealed byte from the end, in bytes: behind it, a first message has some numbers that no seal covers. */
const SEALED_BYTE_FROM_END = 10;

/** Copies a stanza with one byte changed that the seal covers. */
function broken(node: Stanza): Stanza {
  const content = children(node).map((each) => {
    const bytes = Buffer.from(bytesOf(each) ?? []);
    const at = bytes.length - SEALED_BYTE_FROM_END;
    if (at >= 0) bytes[at] = (bytes[at] ?? 0) ^ 1;
    return each.tag === 'enc' ? { ...each, content: bytes } : each;
  });
  return { ...node, content };
}
