import { randomBytes } from 'node:crypto';
import { proto } from '@whiskeysockets/baileys/WAProto/index.js';
import type { Companion } from '../people/companion.js';
import { type StanzaFlaws, takeInboundFault } from '../people/faults.js';
import type { SentMessage } from '../people/messages.js';
import type { Person } from '../people/person.js';
import type { Population } from '../people/population.js';
import { lidJid, phoneJid } from '../wire/jids.js';
import { type Attributes, seconds, stanza } from '../wire/nodes.js';
import { stanzaTypes, textOfMessage } from '../content/content.js';
import { type Delivery, messageKey } from '../delivery/delivery.js';
import { encryptFor } from '../delivery/encryption.js';
import type { Turns } from '../delivery/serial-queue.js';

/** Which of a person's two addresses a message comes from; the other one goes along unless `pn-only`. */
export const ADDRESSINGS = ['lid', 'pn', 'pn-only'] as const;
export type Addressing = (typeof ADDRESSINGS)[number];

/** How a message travels. */
export interface SendOptions {
  addressing?: Addressing;
  /** What is wrong with it; by default what the account's faults say. */
  flaws?: StanzaFlaws;
}

interface OutgoingItem extends SendOptions {
  sent: SentMessage;
  plaintext: Buffer;
  type: string;
  mediatype?: string;
  edit?: string;
}

/** Messages from people to accounts. */
export class Inbound {
  constructor(
    private readonly population: Population,
    private readonly delivery: Delivery,
    private readonly turns: Turns,
  ) {}

  send(
    author: Person,
    account: Person,
    message: proto.Message,
    options: SendOptions = {},
  ): Promise<SentMessage> {
    return this.turns.take(author.phone, () => this.sendNow(author, account, message, options));
  }

  private async sendNow(
    author: Person,
    account: Person,
    message: proto.Message,
    options: SendOptions,
  ): Promise<SentMessage> {
    const sent = bookEntry(author, account.phone, message);
    this.population.touch(author);
    const plaintext = Buffer.from(proto.Message.encode(message).finish());
    const flaws = options.flaws ?? takeInboundFault(account.faults);
    const item = { sent, plaintext, ...stanzaTypes(message), ...options, flaws };
    for (const companion of account.companions.values()) {
      await this.queue(author, account, companion, item);
    }
    return sent;
  }

  private async queue(
    author: Person,
    account: Person,
    companion: Companion,
    item: OutgoingItem,
  ): Promise<void> {
    const { sent, plaintext, type, mediatype, edit } = item;
    const enc = await encryptFor(author, account, companion, plaintext, undefined, { mediatype });
    const attributes = {
      id: sent.id,
      type,
      edit,
      t: seconds(),
      notify: author.name ?? author.phone,
      ...addressesOf(author, item.addressing),
    };
    const source = { phone: author.phone, plaintext, retries: 0 };
    const node = stanza('message', attributes, [enc]);
    const { flaws } = item;
    this.delivery.enqueue(account, companion, { key: messageKey(sent.id), node, source, sent, flaws });
  }
}

/** What a person wrote, to an account or a group, as it stands in the person's own book. */
export function bookEntry(author: Person, to: string, message: proto.Message): SentMessage {
  const sent: SentMessage = {
    id: randomBytes(16).toString('hex').toUpperCase(),
    to,
    text: textOfMessage(message),
    status: 'QUEUED',
    deliveries: 0,
    receipts: 0,
    sentAt: new Date().toISOString(),
  };
  author.sent.set(sent.id, sent);
  return sent;
}

function addressesOf({ lid, phone }: Person, addressing: Addressing = 'lid'): Attributes {
  if (addressing === 'lid') return { from: lidJid(lid), addressing_mode: 'lid', sender_pn: phoneJid(phone) };
  const senderLid = addressing === 'pn' ? lidJid(lid) : undefined;
  return { from: phoneJid(phone), addressing_mode: 'pn', sender_lid: senderLid };
}
