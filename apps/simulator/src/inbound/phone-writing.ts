import { proto } from '@whiskeysockets/baileys/WAProto/index.js';
import { hiddenAddress, phoneAddress } from '@svc/contracts';
import type { SerialQueues } from '@svc/service';
import type { MediaStore } from '../media/media-store.js';
import type { Person } from '../people/person.js';
import { type Attributes, seconds, stanza } from '../wire/nodes.js';
import { stanzaTypes } from '../content/platform-message.js';
import { type Delivery, messageKey } from '../delivery/delivery.js';
import { encryptFor } from '../delivery/encryption.js';
import type { Addressing, Inbound, SendOptions } from './inbound.js';
import type { Receipts } from '../delivery/receipts.js';
import { recordReceived, recordSent } from '../delivery/message-log.js';

/** This class sends the messages that the owner of an account writes on the phone, to the contact and to the account's own devices. */
export class PhoneWriting {
  constructor(
    private readonly inbound: Inbound,
    private readonly delivery: Delivery,
    private readonly receipts: Receipts,
    private readonly queues: SerialQueues,
    private readonly media: MediaStore,
  ) {}

  /** Sends a message to the contact, with a copy for each of the account's own devices. Returns its id. */
  async send(owner: Person, contact: Person, message: proto.Message, options: SendOptions): Promise<string> {
    const { addressing } = options;
    const isNote = contact === owner;
    const sent = isNote
      ? recordSent(owner, owner.phone, message)
      : await this.inbound.send(owner, contact, message, { addressing });
    await this.copy(owner, contact, { id: sent.id, message }, options);
    if (isNote) return sent.id;
    const from = { phone: owner.phone, id: sent.id, address: phoneAddress(contact.phone) };
    this.receipts.giveFor(contact, recordReceived(this.media, contact, from, message));
    return sent.id;
  }

  /** Sends a message to the account's own devices only. */
  copy(
    owner: Person,
    contact: Person,
    { id, message }: { id: string; message: proto.Message },
    { addressing, flaws }: SendOptions,
  ): Promise<void> {
    return this.queues.add(owner.phone, async () => {
      const { type, mediatype, edit } = stanzaTypes(message);
      const addresses = addressesOf(owner, contact, addressing);
      const deviceSentMessage = { destinationJid: addresses.recipient, message };
      const plaintext = Buffer.from(proto.Message.encode({ deviceSentMessage }).finish());
      const attributes = { id, type, edit, t: seconds(), notify: owner.name ?? owner.phone, ...addresses };
      for (const companion of owner.companions.values()) {
        const enc = await encryptFor(owner, owner, companion, plaintext, undefined, { mediatype });
        const node = stanza('message', attributes, [enc]);
        const source = { phone: owner.phone, plaintext, retries: 0 };
        this.delivery.enqueue(owner, companion, { key: messageKey(id), node, source, flaws });
      }
    });
  }
}

function addressesOf(
  owner: Person,
  contact: Person,
  addressing: Addressing = 'lid',
): Attributes & { recipient: string } {
  const phone = phoneAddress(contact.phone);
  const lid = hiddenAddress(contact.lid);
  if (addressing === 'lid')
    return {
      from: hiddenAddress(owner.lid),
      recipient: lid,
      addressing_mode: 'lid',
      peer_recipient_pn: phone,
    };
  const peer = addressing === 'pn' ? lid : undefined;
  return {
    from: phoneAddress(owner.phone),
    recipient: phone,
    addressing_mode: 'pn',
    peer_recipient_lid: peer,
  };
}
