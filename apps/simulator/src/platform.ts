import { log } from '@svc/service';
import { Confirmations } from './delivery/confirmations.js';
import { Delivery } from './delivery/delivery.js';
import { GroupInbound } from './inbound/group-inbound.js';
import { GroupOutbound } from './outbound/group-outbound.js';
import { Inbound } from './inbound/inbound.js';
import { Outbound, type Sender } from './outbound/outbound.js';
import { PhoneWriting } from './inbound/phone-writing.js';
import { Presence } from './delivery/presence.js';
import { Receipts } from './delivery/receipts.js';
import { Turns } from './delivery/serial-queue.js';
import { ConnectionLog } from './connections/connection-log.js';
import { Login } from './connections/login.js';
import { answerQuery } from './queries/queries.js';
import { MediaDoor } from './media/media-access.js';
import { MediaStore } from './media/media-store.js';
import type { Authority } from './noise/authority.js';
import type { Greeting } from './noise/handshake.js';
import { Pairing } from './pairing/pairing.js';
import { wantsLinking } from './pairing/registration.js';
import { type Faults, isMute } from './people/faults.js';
import { Groups } from './people/groups.js';
import { Population } from './people/population.js';
import type { Person } from './people/person.js';
import type { Connection, ConnectionHandler } from './connections/connection.js';
import { Door } from './connections/upgrade-faults.js';
import { child, type Stanza, stanza } from './wire/nodes.js';

const MEDIA_CONNECTION_S = 3600;

/** The server: decides what becomes of each connection and each stanza. */
export class Platform implements ConnectionHandler {
  readonly population: Population;
  readonly pairing: Pairing;
  readonly receipts: Receipts;
  readonly inbound: Inbound;
  readonly groupInbound: GroupInbound;
  readonly phoneWriting: PhoneWriting;
  readonly groups = new Groups();
  readonly presence: Presence;
  readonly door = new Door();
  readonly connectionLog = new ConnectionLog();
  readonly media = new MediaStore();
  readonly mediaDoor: MediaDoor;
  /** All that have said who they are. */
  private readonly connections = new Set<Connection>();
  private readonly turns = new Turns();
  private readonly delivery: Delivery;
  private readonly outbound: Outbound;
  private readonly confirmations: Confirmations;
  private readonly login: Login;

  constructor(authority: Authority) {
    this.population = new Population(authority);
    this.pairing = new Pairing(this.population);
    this.delivery = new Delivery(this.population);
    this.receipts = new Receipts(this.population, this.delivery);
    this.presence = new Presence(this.population);
    this.inbound = new Inbound(this.population, this.delivery, this.turns);
    this.groupInbound = new GroupInbound(this.population, this.delivery, this.turns);
    this.phoneWriting = new PhoneWriting(this.inbound, this.delivery, this.receipts, this.turns, this.media);
    const toGroups = new GroupOutbound(this.population, this.groups, this.delivery, this.media);
    this.outbound = new Outbound(this.population, this.delivery, this.receipts, toGroups, this.media);
    this.confirmations = new Confirmations(this.population, this.delivery, this.receipts);
    this.mediaDoor = new MediaDoor(this.population);
    this.login = new Login(this.population, this.connectionLog);
  }

  greeted(connection: Connection, greeting: Greeting): void {
    this.connections.add(connection);
    if (wantsLinking(greeting.payload)) this.pairing.offer(connection, greeting);
    else if (!this.login.admit(connection, greeting)) log().info('a login was refused');
  }

  async received(connection: Connection, node: Stanza): Promise<void> {
    const { person, companion } = connection;
    if (person && isMute(person.faults)) return;
    if (!person || !companion) return this.receivedFromStranger(connection, node);
    // A replaced connection may still have stanzas under way; its successor speaks for the device now.
    if (companion.connection === connection) await this.handle(connection, { person, companion }, node);
  }

  /** While linking or without an answer to its login, a client only keeps the connection alive, or shows a code. */
  private receivedFromStranger(connection: Connection, node: Stanza): void {
    if (node.tag !== 'iq') return;
    const registration = this.pairing.registrationOf(connection);
    const message = child(node, 'link_code_companion_reg');
    if (registration && message) this.pairing.codes.heard(registration, node, message);
    else if (node.attrs.type === 'get') connection.reply(node);
  }

  private async handle(connection: Connection, { person, companion }: Sender, node: Stanza): Promise<void> {
    const { population, delivery, groups, mediaConnection: media } = this;
    switch (node.tag) {
      case 'iq':
        return answerQuery({ connection, person, companion, population, delivery, groups, media }, node);
      case 'message':
        return this.outbound.accept({ person, companion }, node);
      case 'receipt':
        return this.confirmations.receipt(person, companion, node);
      case 'presence':
        return this.presence.heardPresence(companion, node);
      case 'chatstate':
        return this.presence.heardTyping(person, node);
      case 'ack':
        return this.confirmations.ack(person, companion, node);
    }
  }

  /** Where an account may leave files, and what it has to show there. */
  private readonly mediaConnection = (person: Person): Stanza => {
    const host = stanza('host', { hostname: this.media.hostname });
    const attributes = { auth: this.mediaDoor.tokenOf(person), ttl: MEDIA_CONNECTION_S };
    return stanza('media_conn', attributes, this.media.hostname ? [host] : []);
  };

  left(connection: Connection): void {
    const { person, companion } = connection;
    if (!person || companion?.connection !== connection) return;
    this.connectionLog.note({ phone: person.phone, device: companion.device, event: 'end' });
  }

  closed(connection: Connection): void {
    this.connections.delete(connection);
    this.pairing.forget(connection);
    const { companion } = connection;
    if (companion?.connection !== connection) return;
    companion.connection = undefined;
    companion.active = false;
    companion.available = false;
    companion.watched.clear();
  }

  /** The faults of a person have changed: the transport of its connections follows, and a silence may be over. */
  faultsChanged(person: Person, before: Pick<Faults, 'silent' | 'blackHole'>): void {
    const { faults } = person;
    for (const connection of this.connections) {
      if (connection.person === person && before.blackHole !== faults.blackHole) {
        connection.hold(faults.blackHole);
      }
    }
    if (isMute({ ...faults, ...before }) && !isMute(faults)) this.endSilence(person);
  }

  /** What has come up in the meantime goes out. A login that fell into the silence is never answered. */
  private endSilence(person: Person): void {
    this.delivery.sendUnsent(person);
  }

  /** Forgets everybody; devices that were linked find themselves unknown. */
  async reset(): Promise<number> {
    const people = [...this.population.all()];
    this.population.clear();
    await this.door.clear();
    this.mediaDoor.clear();
    this.media.clear();
    this.groups.clear();
    for (const person of people) {
      for (const companion of person.companions.values()) companion.connection?.drop();
    }
    return people.length;
  }

  failed(_connection: Connection, error: Error): void {
    log().warn({ reason: error.message }, 'a connection failed');
  }
}
