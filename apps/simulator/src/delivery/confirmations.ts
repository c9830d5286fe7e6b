import { hiddenAddress, isGroup } from '@svc/contracts';
import type { Companion, QueuedStanza } from '../people/companion.js';
import { advance } from '../people/messages.js';
import type { Person } from '../people/person.js';
import type { Population } from '../people/population.js';
import { takeBundle } from '../people/pre-keys.js';
import { readRetryBundle } from '../signal/key-bundle.js';
import { child, childrenNamed, type Stanza, stanza } from '../wire/nodes.js';
import { callKey, type Delivery, messageKey, notificationKey, receiptKey } from './delivery.js';
import { encryptFor } from './encryption.js';
import type { Receipts } from './receipts.js';

const MOST_RESENDS = 5;
/** Error codes of an unhandled error (also sent beside each request for a resend) and of a failed database operation. */
const PASSING_FAILURES = new Set(['500', '552']);
/** Address of statuses. */
const STATUSES = 'status@broadcast';
/** Receipts that say that a person has seen the message, not only the device. */
const READ_TYPES = new Set(['read', 'played']);

/** The two ends of a message. */
interface Chat {
  person: Person;
  author: Person;
  group: string | undefined;
}

/** This class takes the confirmations of clients for the stanzas that they were sent. */
export class Confirmations {
  constructor(
    private readonly population: Population,
    private readonly delivery: Delivery,
    private readonly receipts: Receipts,
  ) {}

  /** Takes a receipt, which confirms a message or asks for it again. */
  async receipt(person: Person, companion: Companion, node: Stanza): Promise<void> {
    const { id, to, type, participant } = node.attrs;
    if (type === 'retry') await this.answerRetry(person, companion, node);
    else this.recordReceipt(person, companion, node);
    companion.connection?.send(stanza('ack', { class: 'receipt', id, from: to, type, participant }));
  }

  /**
   * Takes an ack, which confirms a receipt or a notification. For a message it is a refusal: the client will never take this one, for instance
   * because it has read it before. What failed for a passing reason stays, and comes again at the next connection.
   */
  ack(person: Person, companion: Companion, node: Stanza): void {
    const { class: kind, id, type, error, participant } = node.attrs;
    if (id === undefined) return;
    if (kind === 'receipt' && error === undefined) {
      this.delivery.confirm(person, companion, receiptKey(type ?? 'delivered', id, participant));
    }
    if (kind === 'call') this.delivery.confirm(person, companion, callKey(id));
    if (kind === 'notification' && error === undefined) {
      this.delivery.confirm(person, companion, notificationKey(id));
    }
    if (kind === 'message') this.ackOfMessage(person, companion, node, messageKey(id));
  }

  /** Takes the refusal of a message. Others met this at the platform: a status that is refused holds back what comes after it. */
  private ackOfMessage(person: Person, companion: Companion, { attrs }: Stanza, key: string): void {
    if (!PASSING_FAILURES.has(attrs.error ?? '')) this.delivery.confirm(person, companion, key);
    else if (attrs.to === STATUSES) this.delivery.holdBack(person, companion, key);
  }

  private recordReceipt(person: Person, companion: Companion, node: Stanza): void {
    const { to, type, participant } = node.attrs;
    const group = isGroup(to) ? to : undefined;
    // The author of a message to a group or a broadcast list stands beside it.
    const author = this.population.find(participant ?? to)?.person;
    const items = childrenNamed(child(node, 'list'), 'item').map((item) => item.attrs.id);
    for (const id of [node.attrs.id, ...items]) {
      if (id === undefined) continue;
      this.delivery.confirm(person, companion, messageKey(id));
      if (author) this.book({ person, author, group }, id, type);
    }
  }

  private book({ person, author, group }: Chat, id: string, type: string | undefined): void {
    const isRead = type !== undefined && READ_TYPES.has(type);
    const sent = author.sent.get(id);
    if (sent && sent.to === (group ?? person.phone)) {
      sent.receipts++;
      advance(sent, isRead ? 'READ' : 'DELIVERED');
      this.population.touch(author);
    }
    // The message may be of another account: its phone has the message too, and the author learns that it was read.
    const received = person.findReceived(author.phone, id);
    if (isRead && received) this.receipts.read(person, author.phone, [received]);
  }

  private async answerRetry(person: Person, companion: Companion, node: Stanza): Promise<void> {
    const item = companion.queue.get(messageKey(node.attrs.id ?? ''));
    if (item?.relayedFrom) this.forwardRetry(person, companion, item.relayedFrom, node);
    if (!item?.source || item.source.retries >= MOST_RESENDS) return;
    item.source.retries++;
    this.delivery.resend(person, companion, item, await this.encryptAgain(person, companion, item, node));
  }

  /** Encrypts a message in a new session: the request for a resend means that the old one is of no use. */
  private async encryptAgain(
    person: Person,
    companion: Companion,
    item: QueuedStanza,
    node: Stanza,
  ): Promise<Stanza> {
    const author = this.population.ensure(item.source?.phone ?? person.phone);
    const bundle = readRetryBundle(node) ?? takeBundle(companion);
    const mediatype = child(item.node, 'enc')?.attrs.mediatype;
    const attributes = { mediatype, count: item.source?.retries };
    const plaintext = item.source?.plaintext ?? Buffer.alloc(0);
    const enc = await encryptFor(author, person, companion, plaintext, bundle, attributes);
    return { ...item.node, content: [enc] };
  }

  private forwardRetry(person: Person, companion: Companion, phone: string, node: Stanza): void {
    const author = this.population.get(phone);
    const { id, type } = node.attrs;
    const from = hiddenAddress(person.lid, companion.device);
    for (const device of author?.companions.values() ?? []) {
      if (device.active) device.connection?.send(stanza('receipt', { id, type, from }, node.content));
    }
  }
}
