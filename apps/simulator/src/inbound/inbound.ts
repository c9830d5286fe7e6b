import { proto } from '@whiskeysockets/baileys/WAProto/index.js';
import { formatAddress, hiddenAddress, phoneAddress } from '@svc/contracts';
import type { SerialQueues } from '@svc/service';
import type { Companion } from '../people/companion.js';
import { type StanzaFlaws, takeInboundFault } from '../people/faults.js';
import type { SentMessage } from '../people/messages.js';
import type { Person } from '../people/person.js';
import type { Population } from '../people/population.js';
import { type Attributes, seconds, type Stanza, stanza } from '../wire/nodes.js';
import { stanzaTypes } from '../content/platform-message.js';
import { type Delivery, messageKey } from '../delivery/delivery.js';
import { encryptFor } from '../delivery/encryption.js';
import { recordSent } from '../delivery/message-log.js';

/**
 * Choice of a person's two addresses for the sender of a message; the other one goes along unless `pn-only`. `broadcast`: it was written to
 * a list of people. `hosted`: it comes from a device that a provider keeps for a business.
 */
export const ADDRESSINGS = ['lid', 'pn', 'pn-only', 'broadcast', 'hosted'] as const;
export type Addressing = (typeof ADDRESSINGS)[number];

const BROADCAST_LIST = formatAddress({ kind: 'broadcast', user: '1760000000', device: 0 });
const HOSTED_DEVICE = 99;

/** The options of a message on its way. */
export interface SendOptions {
  addressing?: Addressing;
  /** Flaws of its stanza; by default those of the account's faults. */
  flaws?: StanzaFlaws;
  /** Attributes of its stanza in place of the usual ones; null leaves one out. */
  attributes?: Record<string, string | null>;
  /** Bytes that are sealed in place of the message. */
  plaintext?: Buffer;
  /** Attributes of its sealed part in place of the usual ones; null leaves one out. */
  sealedAttributes?: Record<string, string | null>;
  /** Parts of its stanza before the sealed one. */
  parts?: Stanza[];
}

/** Message as all devices of the account get it. */
interface MessageItem extends SendOptions {
  sent: SentMessage;
  plaintext: Buffer;
  type: string;
  mediatype?: string;
  edit?: string;
}

/** This class sends messages of people to accounts. */
export class Inbound {
  constructor(
    private readonly population: Population,
    private readonly delivery: Delivery,
    private readonly queues: SerialQueues,
  ) {}

  send(
    author: Person,
    account: Person,
    message: proto.Message,
    options: SendOptions = {},
  ): Promise<SentMessage> {
    return this.queues.add(author.phone, () => this.sendNow(author, account, message, options));
  }

  private async sendNow(
    author: Person,
    account: Person,
    message: proto.Message,
    options: SendOptions,
  ): Promise<SentMessage> {
    const sent = recordSent(author, account.phone, message, options.attributes?.['id']);
    this.population.touch(author);
    const plaintext = options.plaintext ?? Buffer.from(proto.Message.encode(message).finish());
    const flaws = options.flaws ?? takeInboundFault(account.faults);
    const item = { sent, ...stanzaTypes(message), ...options, plaintext, flaws };
    for (const companion of account.companions.values()) {
      await this.enqueue(author, account, companion, item);
    }
    return sent;
  }

  private async enqueue(
    author: Person,
    account: Person,
    companion: Companion,
    item: MessageItem,
  ): Promise<void> {
    const { sent, plaintext, type, mediatype, edit, attributes: others, sealedAttributes, parts = [] } = item;
    const sealed = await encryptFor(author, account, companion, plaintext, undefined, { mediatype });
    const enc = stanza('enc', { ...sealed.attrs, ...attributesOf(sealedAttributes) }, sealed.content);
    const attributes = {
      id: sent.id,
      type,
      edit,
      t: seconds(),
      notify: author.name ?? author.phone,
      ...addressesOf(author, item.addressing),
      ...attributesOf(others),
    };
    const source = { phone: author.phone, plaintext, retries: 0 };
    const node = stanza('message', attributes, [...parts, enc]);
    const { flaws } = item;
    this.delivery.enqueue(account, companion, { key: messageKey(sent.id), node, source, sent, flaws });
  }
}

function addressesOf({ lid, phone }: Person, addressing: Addressing = 'lid'): Attributes {
  const number = phoneAddress(phone);
  if (addressing === 'broadcast')
    return {
      from: BROADCAST_LIST,
      participant: hiddenAddress(lid),
      participant_pn: number,
      addressing_mode: 'lid',
    };
  if (addressing === 'hosted')
    return { from: `${lid}:${HOSTED_DEVICE}@hosted.lid`, addressing_mode: 'lid', sender_pn: number };
  if (addressing === 'lid')
    return { from: hiddenAddress(lid), addressing_mode: 'lid', sender_pn: phoneAddress(phone) };
  const senderLid = addressing === 'pn' ? hiddenAddress(lid) : undefined;
  return { from: phoneAddress(phone), addressing_mode: 'pn', sender_lid: senderLid };
}

/** Reads attributes that a request sets or leaves out. */
export function attributesOf(others: SendOptions['attributes']): Attributes {
  return Object.fromEntries(Object.entries(others ?? {}).map(([name, value]) => [name, value ?? undefined]));
}
