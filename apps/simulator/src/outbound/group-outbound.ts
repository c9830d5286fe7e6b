import { proto } from '@whiskeysockets/baileys/WAProto/index.js';
import { hiddenAddress, phoneAddress } from '@svc/contracts';
import type { MediaStore } from '../media/media-store.js';
import type { Group, Groups } from '../people/groups.js';
import { peerName, type Person } from '../people/person.js';
import type { Population } from '../people/population.js';
import type { Sender } from '../people/sender.js';
import { unpad } from '../signal/padding.js';
import { bytesOf, child, childrenNamed, seconds, type Stanza, stanza } from '../wire/nodes.js';
import { type Delivery, messageKey } from '../delivery/delivery.js';
import type { Receipts, Reply } from '../delivery/receipts.js';
import { readCopy, recordReceived } from '../delivery/message-log.js';
import { requestResend } from '../delivery/retry-requests.js';

/** This class takes messages of accounts to a group. */
export class GroupOutbound {
  constructor(
    private readonly population: Population,
    private readonly groups: Groups,
    private readonly delivery: Delivery,
    private readonly receipts: Receipts,
    private readonly media: MediaStore,
  ) {}

  /** Finds the group, if the sender belongs to it. */
  groupFor({ person }: Sender, node: Stanza): Group | undefined {
    const group = this.groups.find(node.attrs.to);
    return group?.members.includes(person) ? group : undefined;
  }

  /** Delivers the message to every member; a resend is for one alone. Returns what their phones answer. */
  async accept(sender: Sender, group: Group, node: Stanza): Promise<Reply[]> {
    const only = node.attrs.participant && this.population.find(node.attrs.participant)?.person;
    const members = group.members.filter((member) => !only || member === only);
    const replies: Reply[] = [];
    for (const member of members) {
      this.relay(sender, group, node, member);
      if (member === sender.person || !member.registered) continue;
      const reply = await this.deliver(sender, group, node, member);
      if (reply) replies.push(reply);
    }
    return replies;
  }

  private async deliver(
    sender: Sender,
    group: Group,
    node: Stanza,
    member: Person,
  ): Promise<Reply | undefined> {
    const { id = '' } = node.attrs;
    const earlier = member.findReceived(sender.person.phone, id);
    const message = await this.read(sender, group, node, member);
    this.population.touch(member);
    if (earlier) earlier.duplicates++;
    if (earlier) return undefined;
    if (message) {
      const from = { phone: sender.person.phone, id, address: group.jid };
      const received = recordReceived(this.media, member, from, message);
      return () => this.receipts.giveFor(member, received);
    }
    const where = { from: group.jid, participant: hiddenAddress(member.lid) };
    return () => requestResend(this.delivery, sender, id, member, where);
  }

  /** Decrypts the message for a member. Its copy brings the key, or in a resend the message itself; the rest is for all. */
  private async read(
    sender: Sender,
    group: Group,
    node: Stanza,
    member: Person,
  ): Promise<proto.Message | undefined> {
    const common = child(node, 'enc');
    const resent = common && common.attrs.type !== 'skmsg' ? common : undefined;
    const own = resent ?? this.copyFor(node, member, 0);
    const copy = own && (await readCopy(member, sender, own));
    const peer = peerName(sender.person, sender.companion.device);
    const distribution = copy?.senderKeyDistributionMessage?.axolotlSenderKeyDistributionMessage;
    if (distribution) await member.senderKeys.learn(group.jid, peer, distribution);
    return resent ? copy : readCommon(member, group, peer, common);
  }

  /** Relays the message to the other linked devices of a member, in another envelope. */
  private relay({ person, companion }: Sender, group: Group, node: Stanza, member: Person): void {
    const attributes = {
      id: node.attrs.id,
      from: group.jid,
      participant: hiddenAddress(person.lid, companion.device),
      participant_pn: phoneAddress(person.phone),
      type: node.attrs.type,
      t: seconds(),
      notify: person.name ?? person.phone,
      addressing_mode: 'lid',
    };
    for (const target of member.companions.values()) {
      if (target === companion) continue;
      const encs = [this.copyFor(node, member, target.device), child(node, 'enc')];
      const content = encs.filter((enc): enc is Stanza => enc !== undefined);
      const key = messageKey(node.attrs.id ?? '');
      const relayed = stanza('message', attributes, content);
      this.delivery.enqueue(member, target, { key, node: relayed, relayedFrom: person.phone });
    }
  }

  private copyFor(node: Stanza, member: Person, device: number): Stanza | undefined {
    const target = childrenNamed(child(node, 'participants'), 'to').find(({ attrs }) => {
      const found = this.population.find(attrs.jid);
      return found?.person === member && found.device === device;
    });
    return child(target, 'enc');
  }
}

async function readCommon(
  { senderKeys }: Person,
  { jid }: Group,
  peer: string,
  enc: Stanza | undefined,
): Promise<proto.Message | undefined> {
  try {
    const ciphertext = bytesOf(enc) ?? Buffer.alloc(0);
    return proto.Message.decode(unpad(await senderKeys.decrypt(jid, peer, ciphertext)));
  } catch {
    return undefined;
  }
}
