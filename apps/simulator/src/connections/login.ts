import type { Greeting } from '../noise/handshake.js';
import type { Companion } from '../people/companion.js';
import { isMute } from '../people/faults.js';
import type { Person } from '../people/person.js';
import type { Population } from '../people/population.js';
import type { Connection } from './connection.js';
import { lidJid } from '../wire/jids.js';
import { seconds, type Stanza, stanza } from '../wire/nodes.js';
import type { ConnectionLog } from './connection-log.js';

/** `conflict` tells a client why it lost its place; the code is what it reports to its owner. */
export const replaced = (): Stanza =>
  stanza('stream:error', { code: 440 }, [stanza('conflict', { type: 'replaced' })]);

export const deviceRemoved = (): Stanza =>
  stanza('stream:error', { code: 401 }, [stanza('conflict', { type: 'device_removed' })]);

/** As a person does in the list of linked devices on the phone. */
export function unlinkAll(population: Population, person: Person): void {
  const companions = [...person.companions.values()];
  person.companions.clear();
  population.touch(person);
  for (const { connection } of companions) connection?.end(deviceRemoved());
}

/** Admits a linked device, or turns it away. */
export class Login {
  constructor(
    private readonly population: Population,
    private readonly log: ConnectionLog,
  ) {}

  /** A device is who it says it is when its noise key is the one it was linked with. False: it was refused. */
  admit(connection: Connection, greeting: Greeting): boolean {
    const phone = String(greeting.payload.username ?? '');
    const person = this.population.get(phone);
    const companion = person?.companions.get(greeting.payload.device ?? 0);
    if (!person || !companion?.noiseKey.equals(greeting.noiseKey)) {
      connection.end(stanza('failure', { reason: 401, location: 'sim' }));
      return false;
    }
    if (isMute(person.faults)) return this.ignore(person, connection);
    const { login, loginError } = person.faults;
    if (loginError !== null) connection.end(stanza('failure', { reason: loginError, location: 'sim' }));
    else if (login === 'auto') this.attach(person, companion, connection);
    return loginError === null;
  }

  private ignore(person: Person, connection: Connection): boolean {
    connection.person = person;
    if (person.faults.blackHole) connection.hold(true);
    return true;
  }

  private attach(person: Person, companion: Companion, connection: Connection): void {
    const previous = companion.connection;
    companion.active = false;
    companion.connection = connection;
    companion.connectedAt = this.log.note({ phone: person.phone, device: companion.device, event: 'login' });
    connection.companion = companion;
    connection.person = person;
    // One device, one connection: the newcomer wins, as on the real platform.
    previous?.end(replaced());
    const lid = lidJid(person.lid, companion.device);
    connection.send(stanza('success', { t: seconds(), lid, location: 'sim', props: '1' }));
  }
}
