import { proto } from '@whiskeysockets/baileys/WAProto/index.js';
import { hiddenAddress, phoneAddress } from '@svc/contracts';
import type { SerialQueues } from '@svc/service';
import type { Companion } from '../people/companion.js';
import { takeInboundFault } from '../people/faults.js';
import type { Group } from '../people/groups.js';
import type { SentMessage } from '../people/messages.js';
import { peerName, type Person } from '../people/person.js';
import type { Population } from '../people/population.js';
import { pad } from '../signal/padding.js';
import { type Attributes, seconds, type Stanza, stanza } from '../wire/nodes.js';
import { stanzaTypes } from '../content/platform-message.js';
import { type Delivery, messageKey } from '../delivery/delivery.js';
import { encryptFor } from '../delivery/encryption.js';
import { attributesOf, type SendOptions } from './inbound.js';
import { recordSent } from '../delivery/message-log.js';

/** Message to a group, as all members get it. */
interface GroupMessage {
  group: Group;
  sent: SentMessage;
  attributes: Attributes;
  /** Message under the author's key for the group, the same for all members. */
  common: Stanza;
  distribution: Buffer;
  message: proto.IMessage;
  mediatype?: string;
  options: SendOptions;
}

/** This class sends messages of people to the accounts in a group, their own among them. */
export class GroupInbound {
  constructor(
    private readonly population: Population,
    private readonly delivery: Delivery,
    private readonly queues: SerialQueues,
  ) {}

  send(author: Person, group: Group, message: proto.Message, options: SendOptions): Promise<SentMessage> {
    return this.queues.add(author.phone, () => this.sendNow(author, group, message, options));
  }

  private async sendNow(
    author: Person,
    group: Group,
    message: proto.Message,
    options: SendOptions,
  ): Promise<SentMessage> {
    const sent = recordSent(author, group.jid, message, options.attributes?.['id']);
    this.population.touch(author);
    const { mediatype, ...types } = stanzaTypes(message);
    const self = peerName(author, 0);
    const distribution = await author.senderKeys.distribution(group.jid, self);
    const plaintext = pad(options.plaintext ?? proto.Message.encode(message).finish());
    const ciphertext = await author.senderKeys.encrypt(group.jid, self, plaintext);
    const common = stanza('enc', { v: 2, type: 'skmsg', mediatype }, ciphertext);
    const attributes = {
      ...types,
      ...envelopeOf(author, group, sent.id),
      ...attributesOf(options.attributes),
    };
    const groupMessage = { group, sent, attributes, common, distribution, message, mediatype, options };
    // The author's own devices get it as well: they show what was written on the phone.
    for (const member of group.members) {
      for (const companion of member.companions.values()) {
        await this.enqueue(author, member, companion, groupMessage);
      }
    }
    return sent;
  }

  /** Queues the message with the author's key, every time, as to a newcomer; a device that has the key already loses nothing. */
  private async enqueue(
    author: Person,
    member: Person,
    companion: Companion,
    { group, sent, attributes, common, distribution, message, options }: GroupMessage,
  ): Promise<void> {
    const senderKeyDistributionMessage = {
      groupId: group.jid,
      axolotlSenderKeyDistributionMessage: distribution,
    };
    const key = Buffer.from(proto.Message.encode({ senderKeyDistributionMessage }).finish());
    const enc = await encryptFor(author, member, companion, key);
    // A resend goes to one device alone, and has to bring both the message and the key.
    const whole = proto.Message.encode({ ...message, senderKeyDistributionMessage }).finish();
    const source = { phone: author.phone, plaintext: Buffer.from(whole), retries: 0 };
    const flaws = options.flaws ?? takeInboundFault(member.faults);
    const node = stanza('message', attributes, [enc, common]);
    this.delivery.enqueue(member, companion, { key: messageKey(sent.id), node, source, sent, flaws });
  }
}

const envelopeOf = (author: Person, { jid }: Group, id: string): Attributes => ({
  id,
  from: jid,
  participant: hiddenAddress(author.lid),
  participant_pn: phoneAddress(author.phone),
  t: seconds(),
  notify: author.name ?? author.phone,
  addressing_mode: 'lid',
});
