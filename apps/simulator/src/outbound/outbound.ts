import { proto } from '@whiskeysockets/baileys/WAProto/index.js';
import { bareAddress, hiddenAddress, isGroup, phoneAddress } from '@svc/contracts';
import type { MediaStore } from '../media/media-store.js';
import { isGenuine } from '../pairing/device-identity.js';
import type { Companion } from '../people/companion.js';
import { type AckFault, NO_ACK_FAULT, takeAckFault } from '../people/faults.js';
import { magicNumber } from '../people/magic-numbers.js';
import type { ReceivedMessage } from '../people/messages.js';
import type { Person } from '../people/person.js';
import type { Population } from '../people/population.js';
import type { Sender } from '../people/sender.js';
import { unlinkAll } from '../people/unlink.js';
import { bytesOf, child, childrenNamed, seconds, type Stanza, stanza } from '../wire/nodes.js';
import { type Delivery, messageKey } from '../delivery/delivery.js';
import type { GroupOutbound } from './group-outbound.js';
import { NewChats } from './new-chats.js';
import type { Receipts, Reply } from '../delivery/receipts.js';
import { readCopy, recordReceived } from '../delivery/message-log.js';
import { requestResend } from '../delivery/retry-requests.js';

/** The platform's code for a stanza that a device had no right to send. */
const INVALID_STANZA = 479;
/** The account may not begin a chat (`SenderReachoutTimelocked`). */
const NO_NEW_CHAT = 463;
/** The sender does not belong to the group. */
const NO_MEMBER = 403;

/** Copy of a message for one device. */
interface Copy {
  person: Person;
  device: number;
  address: string;
  enc: Stanza;
}

/** This class takes messages of accounts to people. */
export class Outbound {
  private readonly newChats: NewChats;

  constructor(
    private readonly population: Population,
    private readonly delivery: Delivery,
    private readonly receipts: Receipts,
    private readonly groups: GroupOutbound,
    private readonly media: MediaStore,
  ) {
    this.newChats = new NewChats(population);
  }

  /** Takes a message of a linked device: acknowledges or refuses it, and delivers its copies. */
  async accept(sender: Sender, node: Stanza): Promise<void> {
    const magic = magicNumber(this.population.find(node.attrs.to)?.person.phone);
    if (magic?.unlinks) return unlinkAll(this.population, sender.person);
    const fault = magic ? { ...NO_ACK_FAULT, ...magic.ack } : this.faultFor(sender, node);
    const error = this.errorOf(sender, node) ?? fault.ackError ?? undefined;
    if (error !== undefined) return this.acknowledge(sender.companion, node, fault, { error });
    if (fault.ack === 'lost') return;
    if (isGroup(node.attrs.to)) await this.acceptForGroup(sender, node, fault);
    else await this.acceptForPeople(sender, node, fault);
  }

  private errorOf(sender: Sender, node: Stanza): number | undefined {
    if (!this.identityHolds(sender, child(node, 'device-identity'))) return INVALID_STANZA;
    return this.newChats.refuses(sender.person, node.attrs.to) ? NO_NEW_CHAT : undefined;
  }

  private async acceptForGroup(sender: Sender, node: Stanza, fault: AckFault): Promise<void> {
    const group = this.groups.groupFor(sender, node);
    if (!group) return this.acknowledge(sender.companion, node, fault, { error: NO_MEMBER });
    const replies = await this.groups.accept(sender, group, node);
    this.acknowledge(sender.companion, node, fault, { replies });
  }

  private async acceptForPeople(sender: Sender, node: Stanza, fault: AckFault): Promise<void> {
    const copies = this.copiesOf(node);
    const others = copies.filter((copy) => copy.person !== sender.person);
    const replies: Reply[] = [];
    for (const copy of others) {
      const reply = await this.deliver(sender, node, copy);
      if (reply) replies.push(reply);
    }
    this.acknowledge(sender.companion, node, fault, { replies });
    await this.copyToOwnDevices(
      sender,
      node,
      copies.filter((copy) => copy.person === sender.person),
    );
  }

  private faultFor({ person }: Sender, node: Stanza): AckFault {
    if (person.faults.count !== null) this.population.touch(person);
    return takeAckFault(person.faults, this.population.find(node.attrs.to)?.person.phone);
  }

  /** Sends the ack of a message on the connection that the message came by: a client that reconnects before it does not get it. */
  private acknowledge(
    { connection }: Companion,
    node: Stanza,
    { ack, ackDelayMs }: AckFault,
    { error, replies = [] }: { error?: number; replies?: Reply[] },
  ): void {
    const { id, to } = node.attrs;
    const send = (): void => {
      if (ack === 'auto')
        connection?.send(stanza('ack', { class: 'message', id, from: to, t: seconds(), error }));
      for (const reply of replies) reply();
    };
    if (ackDelayMs > 0) setTimeout(send, ackDelayMs).unref();
    else send();
  }

  /** Verifies the identity of a device. A genuine one is remembered by its bytes: verifying two signatures costs more than all the rest. */
  private identityHolds({ person, companion }: Sender, node: Stanza | undefined): boolean {
    const identity = bytesOf(node);
    if (!identity || companion.verifiedIdentity?.equals(identity)) return true;
    if (!isGenuine(identity, person.device.identity.public, companion.identity)) return false;
    companion.verifiedIdentity = identity;
    return true;
  }

  /** Reads the copies of a message, usually one per device; a resend to a single device carries its copy directly. */
  private copiesOf(node: Stanza): Copy[] {
    const targets = childrenNamed(child(node, 'participants'), 'to');
    const direct = child(node, 'enc');
    if (direct) targets.push(stanza('to', { jid: node.attrs.to }, [direct]));
    return targets.flatMap((target) => {
      const found = this.population.find(target.attrs.jid);
      const enc = child(target, 'enc');
      const address = bareAddress(target.attrs.jid);
      if (!found?.person.registered || !enc || !address) return [];
      return [{ ...found, address, enc }];
    });
  }

  private async deliver(sender: Sender, node: Stanza, copy: Copy): Promise<Reply | undefined> {
    if (copy.device !== 0) {
      this.relay(sender, node, copy);
      return undefined;
    }
    const id = node.attrs.id ?? '';
    const { person } = copy;
    const earlier = person.findReceived(sender.person.phone, id);
    // Repeated ids are decrypted too, so that both ends of the session stay in step.
    const message = await readCopy(person, sender, copy.enc);
    this.population.touch(person);
    if (earlier) {
      earlier.duplicates++;
      return undefined;
    }
    if (!message || this.takeUnreadable(person)) {
      return () => requestResend(this.delivery, sender, id, person, { from: copy.address });
    }
    const received = this.record(sender, id, copy, message);
    return () => this.receipts.giveFor(person, received);
  }

  /** Counts a message that the person cannot read on purpose, as a phone that has lost its sessions. */
  private takeUnreadable({ behaviour }: Person): boolean {
    return behaviour.unreadable > 0 && behaviour.unreadable-- > 0;
  }

  private record(sender: Sender, id: string, copy: Copy, message: proto.Message): ReceivedMessage {
    const from = { phone: sender.person.phone, id, address: copy.address };
    return recordReceived(this.media, copy.person, from, message);
  }

  private async copyToOwnDevices(sender: Sender, node: Stanza, copies: Copy[]): Promise<void> {
    const earlier = sender.person.findReceived(sender.person.phone, node.attrs.id ?? '');
    if (earlier) earlier.duplicates++;
    for (const copy of copies) await this.copyToOwnDevice(sender, node, copy);
  }

  /** Passes what a device wrote on to another device of the account, or to its phone. */
  private async copyToOwnDevice(sender: Sender, node: Stanza, copy: Copy): Promise<void> {
    if (copy.device !== 0) return this.relay(sender, node, copy);
    const note = (await readCopy(copy.person, sender, copy.enc))?.deviceSentMessage;
    if (!note?.message || this.population.find(note.destinationJid ?? '')?.person !== sender.person) return;
    const id = node.attrs.id ?? '';
    // A note to self comes in two copies, one for each end of the chat.
    if (sender.person.findReceived(sender.person.phone, id)) return;
    this.record(sender, id, copy, proto.Message.fromObject(note.message));
  }

  /** Relays a copy to a linked device; only its envelope changes. */
  private relay(sender: Sender, node: Stanza, copy: Copy): void {
    const target = copy.person.companions.get(copy.device);
    const isSender = target === sender.companion;
    if (!target || isSender) return;
    const own = copy.person === sender.person;
    const { person, companion } = sender;
    const attributes = {
      id: node.attrs.id,
      from: own ? phoneAddress(person.phone, companion.device) : hiddenAddress(person.lid, companion.device),
      recipient: own ? node.attrs.to : undefined,
      type: node.attrs.type,
      t: seconds(),
      notify: person.name ?? person.phone,
      addressing_mode: own ? undefined : 'lid',
      sender_pn: own ? undefined : phoneAddress(person.phone),
    };
    const relayed = stanza('message', attributes, [copy.enc]);
    const key = messageKey(node.attrs.id ?? '');
    this.delivery.enqueue(copy.person, target, { key, node: relayed, relayedFrom: person.phone });
  }
}
