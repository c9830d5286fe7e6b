import { hiddenAddress } from '@svc/contracts';
import type { HandshakeResult } from '../noise/handshake.js';
import type { Companion } from '../people/companion.js';
import { isMute } from '../people/faults.js';
import type { Person } from '../people/person.js';
import type { Population } from '../people/population.js';
import type { Connection } from './connection.js';
import { seconds, type Stanza, stanza } from '../wire/nodes.js';
import { loginFailure, outdatedFailure, replacedError } from '../wire/stream-errors.js';
import type { ConnectionLog } from './connection-log.js';
import { revisionOf, type Versions } from './versions.js';

/** Answer to a login that no client knows. */
const UNKNOWN_SUCCESS = stanza('success_v2');

/** This class admits linked devices, or refuses their logins. */
export class Login {
  constructor(
    private readonly population: Population,
    private readonly log: ConnectionLog,
    private readonly versions: Versions,
  ) {}

  /** Admits a device whose noise key is the one that it was linked with. Returns false when it was refused. */
  admit(connection: Connection, handshake: HandshakeResult): boolean {
    const phone = String(handshake.payload.username ?? '');
    const person = this.population.get(phone);
    const companion = person?.companions.get(handshake.payload.device ?? 0);
    if (!person || !companion?.noiseKey.equals(handshake.noiseKey)) {
      connection.end(loginFailure(401));
      return false;
    }
    if (isMute(person.faults)) return this.ignore(person, connection);
    const failure = this.failureOf(person, handshake);
    if (failure) connection.end(failure);
    else if (this.versions.changesLogin(handshake)) connection.send(UNKNOWN_SUCCESS);
    else this.welcome(person, companion, connection, handshake);
    return failure === undefined;
  }

  /** Lets a device in, unless its login is not answered. */
  private welcome(
    person: Person,
    companion: Companion,
    connection: Connection,
    handshake: HandshakeResult,
  ): void {
    if (person.faults.login !== 'auto') return;
    companion.revision = revisionOf(handshake);
    this.attach(person, companion, connection);
  }

  /** Makes the refusal of a login; undefined where nothing speaks against it. */
  private failureOf(person: Person, handshake: HandshakeResult): Stanza | undefined {
    const { loginError, loginExpire } = person.faults;
    if (this.versions.refusesLogin(person, handshake)) return outdatedFailure(this.versions.rules.location);
    return loginError === null ? undefined : loginFailure(loginError, loginExpire);
  }

  private ignore(person: Person, connection: Connection): boolean {
    connection.person = person;
    if (person.faults.blackHole) connection.pause(true);
    return true;
  }

  private attach(person: Person, companion: Companion, connection: Connection): void {
    const previous = companion.connection;
    companion.active = false;
    companion.setAvailable(false);
    companion.connection = connection;
    companion.connectedAt = this.log.add({ phone: person.phone, device: companion.device, event: 'login' });
    connection.companion = companion;
    connection.person = person;
    // A device has one connection: the newcomer wins, as on the real platform.
    previous?.end(replacedError());
    const lid = hiddenAddress(person.lid, companion.device);
    connection.send(stanza('success', { t: seconds(), lid, location: 'sim', props: '1' }));
  }
}
