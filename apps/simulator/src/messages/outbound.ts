import { proto } from '@whiskeysockets/baileys/WAProto/index.js';
import { describeFile, fileOf } from '../media/media-of.js';
import type { MediaStore } from '../media/media-store.js';
import { isGenuine } from '../pairing/device-identity.js';
import type { Companion } from '../people/companion.js';
import { type AckFault, takeAckFault } from '../people/faults.js';
import type { ReceivedMessage } from '../people/messages.js';
import { peerName, type Person } from '../people/person.js';
import type { Population } from '../people/population.js';
import { bundleNodes, registrationNode } from '../signal/key-bundle.js';
import { unpad } from '../signal/padding.js';
import type { CipherType } from '../signal/signal-device.js';
import { bareJid, lidJid, parseJid, phoneJid } from '../wire/jids.js';
import { bytesOf, child, childrenNamed, seconds, type Stanza, stanza } from '../wire/nodes.js';
import { textOfMessage, toJson } from './content.js';
import { describeMessage } from './describe.js';
import type { ReceivedContent } from './kinds.js';
import { type Delivery, messageKey, receiptKey } from './delivery.js';
import type { Receipts } from './receipts.js';

/** The platform's code for a stanza that a device had no right to send. */
const INVALID_STANZA = 479;
const MOST_RESENDS = 5;

/** The linked device that a message comes from. */
export interface Sender {
  person: Person;
  companion: Companion;
}

/** One device that a message is meant for, with its copy. */
interface Copy {
  person: Person;
  device: number;
  address: string;
  enc: Stanza;
}

/** Messages from accounts to people. */
export class Outbound {
  constructor(
    private readonly population: Population,
    private readonly delivery: Delivery,
    private readonly receipts: Receipts,
    private readonly media: MediaStore,
  ) {}

  async accept(sender: Sender, node: Stanza): Promise<void> {
    const fault = this.faultFor(sender, node);
    const genuine = this.identityHolds(sender, child(node, 'device-identity'));
    const error = genuine ? (fault.ackError ?? undefined) : INVALID_STANZA;
    if (error !== undefined) return this.acknowledge(sender.companion, node, fault, { error });
    if (fault.ack === 'lost') return;
    const copies = this.copiesOf(node);
    const others = copies.filter((copy) => copy.person !== sender.person);
    const arrived: [Person, ReceivedMessage][] = [];
    for (const copy of others) {
      const message = await this.hand(sender, node, copy);
      if (message) arrived.push([copy.person, message]);
    }
    this.acknowledge(sender.companion, node, fault, {
      afterwards: () => arrived.forEach(([person, message]) => this.receipts.arrived(person, message)),
    });
    await this.mirrorAll(
      sender,
      node,
      copies.filter((copy) => copy.person === sender.person),
    );
  }

  private faultFor({ person }: Sender, node: Stanza): AckFault {
    if (person.faults.count !== null) this.population.touch(person);
    return takeAckFault(person.faults, this.population.find(node.attrs.to)?.person.phone);
  }

  /** An ack belongs to the connection that the message came by: whoever reconnects before it does not get it. */
  private acknowledge(
    { connection }: Companion,
    node: Stanza,
    { ack, ackDelayMs }: AckFault,
    { error, afterwards = () => undefined }: { error?: number; afterwards?: () => void },
  ): void {
    const { id, to } = node.attrs;
    const say = (): void => {
      if (ack === 'auto')
        connection?.send(stanza('ack', { class: 'message', id, from: to, t: seconds(), error }));
      afterwards();
    };
    if (ackDelayMs > 0) setTimeout(say, ackDelayMs).unref();
    else say();
  }

  /** A genuine identity is remembered by its bytes: verifying two signatures costs more than all the rest. */
  private identityHolds({ person, companion }: Sender, node: Stanza | undefined): boolean {
    const identity = bytesOf(node);
    if (!identity || companion.verifiedIdentity?.equals(identity)) return true;
    if (!isGenuine(identity, person.device.identity.public, companion.identity)) return false;
    companion.verifiedIdentity = identity;
    return true;
  }

  /** Usually one copy per device; a resend to a single device carries its copy directly. */
  private copiesOf(node: Stanza): Copy[] {
    const targets = childrenNamed(child(node, 'participants'), 'to');
    const direct = child(node, 'enc');
    if (direct) targets.push(stanza('to', { jid: node.attrs.to }, [direct]));
    return targets.flatMap((target) => {
      const found = this.population.find(target.attrs.jid);
      const enc = child(target, 'enc');
      const address = parseJid(target.attrs.jid);
      if (!found?.person.registered || !enc || !address) return [];
      return [{ ...found, address: bareJid(address), enc }];
    });
  }

  private async hand(sender: Sender, node: Stanza, copy: Copy): Promise<ReceivedMessage | undefined> {
    if (copy.device !== 0) {
      this.relay(sender, node, copy);
      return undefined;
    }
    const id = node.attrs.id ?? '';
    const { person } = copy;
    const known = person.recorded(sender.person.phone, id);
    const message = await this.decrypt(sender, copy);
    this.population.touch(person);
    if (known) {
      known.duplicates++;
      return undefined;
    }
    if (!message || this.pretendsNotToRead(person)) {
      this.askAgain(sender, node, copy);
      return undefined;
    }
    return this.record(sender, id, copy, message);
  }

  /** As a phone that has lost its sessions. */
  private pretendsNotToRead({ behaviour }: Person): boolean {
    return behaviour.unreadable > 0 && behaviour.unreadable-- > 0;
  }

  private record(sender: Sender, id: string, copy: Copy, message: proto.Message): ReceivedMessage {
    const received: ReceivedMessage = {
      id,
      from: sender.person.phone,
      address: copy.address,
      text: textOfMessage(message),
      message: toJson(message),
      content: this.contentOf(message),
      receivedAt: new Date().toISOString(),
      duplicates: 0,
      delivered: false,
      read: false,
    };
    copy.person.isContact = true;
    copy.person.pending.delete(`${received.from}/${id}`);
    copy.person.record(received);
    return received;
  }

  /** As the person sees it: a file is fetched and opened at once. */
  private contentOf(message: proto.Message): ReceivedContent {
    const file = fileOf(this.media, message);
    return { ...describeMessage(message), ...(file === undefined ? {} : { media: describeFile(file) }) };
  }

  /** Repeated ids are decrypted too, so that both ends of the session stay in step. */
  private async decrypt(sender: Sender, copy: Copy): Promise<proto.Message | undefined> {
    const peer = peerName(sender.person, sender.companion.device);
    const ciphertext = bytesOf(copy.enc) ?? Buffer.alloc(0);
    try {
      const type: CipherType = copy.enc.attrs.type === 'pkmsg' ? 'pkmsg' : 'msg';
      return proto.Message.decode(unpad(await copy.person.device.decrypt(peer, type, ciphertext)));
    } catch {
      return undefined;
    }
  }

  /** The person's phone could not read the message and asks the account's device to send it again. */
  private askAgain(sender: Sender, node: Stanza, copy: Copy): void {
    const id = node.attrs.id ?? '';
    const { person, address } = copy;
    const key = `${sender.person.phone}/${id}`;
    const count = (person.pending.get(key) ?? 0) + 1;
    person.pending.set(key, count);
    if (count > MOST_RESENDS) return;
    const content = [
      stanza('retry', { count, id, t: seconds(), v: 1 }),
      registrationNode(person.device.registrationId),
    ];
    // The first request leaves it to the client to fetch new keys; a second one brings them along.
    if (count > 1) content.push(stanza('keys', {}, bundleNodes(person.device.bundle())));
    const receipt = stanza('receipt', { id, from: address, type: 'retry', t: seconds() }, content);
    this.delivery.enqueue(sender.person, sender.companion, { key: receiptKey('retry', id), node: receipt });
  }

  private async mirrorAll(sender: Sender, node: Stanza, copies: Copy[]): Promise<void> {
    const known = sender.person.recorded(sender.person.phone, node.attrs.id ?? '');
    if (known) known.duplicates++;
    for (const copy of copies) await this.mirror(sender, node, copy);
  }

  /** The account's own devices see what one of them wrote. */
  private async mirror(sender: Sender, node: Stanza, copy: Copy): Promise<void> {
    if (copy.device !== 0) return this.relay(sender, node, copy);
    const note = (await this.decrypt(sender, copy))?.deviceSentMessage;
    if (!note?.message || this.population.find(note.destinationJid ?? '')?.person !== sender.person) return;
    const id = node.attrs.id ?? '';
    // A note to self comes in two copies, one for each end of the chat.
    if (sender.person.recorded(sender.person.phone, id)) return;
    this.record(sender, id, copy, proto.Message.fromObject(note.message));
  }

  /** Between two linked devices the platform only changes the envelope. */
  private relay(sender: Sender, node: Stanza, copy: Copy): void {
    const target = copy.person.companions.get(copy.device);
    const isSender = target === sender.companion;
    if (!target || isSender) return;
    const own = copy.person === sender.person;
    const { person, companion } = sender;
    const attributes = {
      id: node.attrs.id,
      from: own ? phoneJid(person.phone, companion.device) : lidJid(person.lid, companion.device),
      recipient: own ? node.attrs.to : undefined,
      type: node.attrs.type,
      t: seconds(),
      notify: person.name ?? person.phone,
      addressing_mode: own ? undefined : 'lid',
      sender_pn: own ? undefined : phoneJid(person.phone),
    };
    const relayed = stanza('message', attributes, [copy.enc]);
    const key = messageKey(node.attrs.id ?? '');
    this.delivery.enqueue(copy.person, target, { key, node: relayed, relayedFrom: person.phone });
  }
}
