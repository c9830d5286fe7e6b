import { log, SerialQueues } from '@svc/service';
import { Calls } from './delivery/calls.js';
import { Confirmations } from './delivery/confirmations.js';
import { Delivery } from './delivery/delivery.js';
import { GroupInbound } from './inbound/group-inbound.js';
import { GroupOutbound } from './outbound/group-outbound.js';
import { Inbound } from './inbound/inbound.js';
import { Outbound } from './outbound/outbound.js';
import { PhoneWriting } from './inbound/phone-writing.js';
import { Presence } from './delivery/presence.js';
import { Receipts } from './delivery/receipts.js';
import { ConnectionLog } from './connections/connection-log.js';
import { Login } from './connections/login.js';
import { activate } from './queries/activation.js';
import { answerQuery } from './queries/queries.js';
import { CallLog } from './llm/call-log.js';
import { LlmKeys } from './llm/llm-keys.js';
import { MediaAccess } from './media/media-access.js';
import { MediaStore } from './media/media-store.js';
import type { Authority } from './noise/authority.js';
import type { HandshakeResult } from './noise/handshake.js';
import { Pairing } from './pairing/pairing.js';
import { wantsLinking } from './pairing/registration.js';
import { type Faults, isMute } from './people/faults.js';
import { Groups } from './people/groups.js';
import { Population } from './people/population.js';
import type { Person } from './people/person.js';
import type { Sender } from './people/sender.js';
import type { Connection, ConnectionHandler } from './connections/connection.js';
import { UpgradeFaults } from './connections/upgrade-faults.js';
import { Versions } from './connections/versions.js';
import { child, type Stanza, stanza } from './wire/nodes.js';
import { outdatedFailure } from './wire/stream-errors.js';

const MEDIA_CONNECTION_S = 3600;

/** This class is the server: it decides on each connection and each stanza. */
export class Platform implements ConnectionHandler {
  readonly population: Population;
  readonly pairing: Pairing;
  readonly calls: Calls;
  readonly receipts: Receipts;
  readonly inbound: Inbound;
  readonly groupInbound: GroupInbound;
  readonly phoneWriting: PhoneWriting;
  readonly groups = new Groups();
  readonly presence: Presence;
  readonly upgradeFaults = new UpgradeFaults();
  readonly versions = new Versions();
  readonly connectionLog = new ConnectionLog();
  readonly llmKeys = new LlmKeys();
  readonly llmCalls = new CallLog();
  readonly media = new MediaStore();
  readonly mediaAccess: MediaAccess;
  /** The connections that have said who they are. */
  private readonly connections = new Set<Connection>();
  private readonly queues = new SerialQueues();
  readonly delivery: Delivery;
  private readonly outbound: Outbound;
  private readonly confirmations: Confirmations;
  private readonly login: Login;

  constructor(authority: Authority) {
    this.population = new Population(authority);
    this.pairing = new Pairing(this.population, this.versions);
    this.delivery = new Delivery(this.population);
    this.calls = new Calls(this.delivery);
    this.receipts = new Receipts(this.population, this.delivery);
    this.presence = new Presence(this.population, this.groups);
    this.inbound = new Inbound(this.population, this.delivery, this.queues);
    this.groupInbound = new GroupInbound(this.population, this.delivery, this.queues);
    this.phoneWriting = new PhoneWriting(this.inbound, this.delivery, this.receipts, this.queues, this.media);
    const { population, groups, delivery, receipts, media } = this;
    const toGroups = new GroupOutbound(population, groups, delivery, receipts, media);
    this.outbound = new Outbound(this.population, this.delivery, this.receipts, toGroups, this.media);
    this.confirmations = new Confirmations(this.population, this.delivery, this.receipts);
    this.mediaAccess = new MediaAccess(this.population);
    this.login = new Login(this.population, this.connectionLog, this.versions);
  }

  async onHandshake(connection: Connection, handshake: HandshakeResult): Promise<void> {
    this.connections.add(connection);
    if (wantsLinking(handshake.payload)) return this.register(connection, handshake);
    if (!this.login.admit(connection, handshake)) log().info('a login was refused');
    const { person, companion } = connection;
    if (!person || !companion || handshake.payload.passive) return;
    await activate({ person, companion, delivery: this.delivery, population: this.population });
  }

  private register(connection: Connection, handshake: HandshakeResult): void {
    if (!this.versions.refusesRegistration(handshake)) return this.pairing.offer(connection, handshake);
    connection.end(outdatedFailure(this.versions.rules.location));
  }

  async onStanza(connection: Connection, node: Stanza): Promise<void> {
    const { person, companion } = connection;
    if (person && isMute(person.faults)) return;
    if (!person || !companion) return this.handleUnlinked(connection, node);
    // A replaced connection may still have stanzas under way; its successor speaks for the device now.
    if (companion.connection === connection) await this.handle(connection, { person, companion }, node);
  }

  /** Answers a client without a login: it only keeps the connection alive, or shows a code. */
  private handleUnlinked(connection: Connection, node: Stanza): void {
    if (node.tag === 'ack') this.pairing.notices.acknowledge(node);
    if (node.tag !== 'iq') return;
    const registration = this.pairing.registrationOf(connection);
    const message = child(node, 'link_code_companion_reg');
    if (registration && message) this.pairing.codes.receive(registration, node, message);
    else if (registration && this.pairing.passkeys.receive(registration, node)) return;
    else if (isOfCeremony(node)) connection.refuse(node, 404, 'item-not-found');
    else if (node.attrs.type === 'get') connection.reply(node);
  }

  private async handle(connection: Connection, { person, companion }: Sender, node: Stanza): Promise<void> {
    const { population, delivery, groups, mediaConnection } = this;
    switch (node.tag) {
      case 'iq':
        return answerQuery(
          { connection, person, companion, population, delivery, groups, mediaConnection },
          node,
        );
      case 'message':
        return this.outbound.accept({ person, companion }, node);
      case 'receipt':
        return this.confirmations.receipt(person, companion, node);
      case 'presence':
        return this.presence.receivePresence(companion, node);
      case 'chatstate':
        return this.presence.receiveTyping(person, node);
      case 'call':
        return this.calls.receive(companion, node);
      case 'ack':
        return this.confirmations.ack(person, companion, node);
    }
  }

  /** Says where an account may upload files, and what it has to show there. */
  private readonly mediaConnection = (person: Person): Stanza => {
    const host = stanza('host', { hostname: this.media.hostname });
    const attributes = { auth: this.mediaAccess.tokenOf(person), ttl: MEDIA_CONNECTION_S };
    return stanza('media_conn', attributes, this.media.hostname ? [host] : []);
  };

  onEnd(connection: Connection): void {
    const { person, companion } = connection;
    if (!person || companion?.connection !== connection) return;
    this.connectionLog.add({ phone: person.phone, device: companion.device, event: 'end' });
  }

  onClose(connection: Connection): void {
    this.connections.delete(connection);
    this.pairing.forget(connection);
    const { companion } = connection;
    if (companion?.connection !== connection) return;
    companion.connection = undefined;
    companion.active = false;
    companion.setAvailable(false);
    companion.presenceSubscriptions.clear();
  }

  /** Applies changed faults of a person: the transport of its connections follows, and a silence may end. */
  faultsChanged(person: Person, before: Pick<Faults, 'silent' | 'blackHole'>): void {
    const { faults } = person;
    for (const connection of this.connections) {
      if (connection.person === person && before.blackHole !== faults.blackHole) {
        connection.pause(faults.blackHole);
      }
    }
    if (isMute({ ...faults, ...before }) && !isMute(faults)) this.endSilence(person);
  }

  /** Sends what has come up in the meantime. A login during the silence is never answered. */
  private endSilence(person: Person): void {
    this.delivery.sendUnsent(person);
  }

  /** Removes all people; devices that were linked find themselves unknown. */
  async reset(): Promise<number> {
    const people = [...this.population.all()];
    this.population.clear();
    await this.upgradeFaults.clear();
    this.versions.clear();
    this.llmKeys.clear();
    this.llmCalls.clear();
    this.mediaAccess.clear();
    this.media.clear();
    this.groups.clear();
    this.calls.clear();
    this.pairing.reset();
    for (const person of people) {
      for (const companion of person.companions.values()) companion.connection?.drop();
    }
    return people.length;
  }

  onError(_connection: Connection, error: Error): void {
    log().warn({ reason: error.message }, 'a connection failed');
  }
}

/** Says whether a device goes on with a ceremony; who is in none is told so. */
const isOfCeremony = (node: Stanza): boolean =>
  ['passkey_prologue', 'companion_nonce', 'encrypted_pairing_request'].some((tag) => child(node, tag));
