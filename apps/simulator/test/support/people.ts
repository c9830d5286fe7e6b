import { Companion } from '../../src/people/companion.js';
import type { Person } from '../../src/people/person.js';
import { Population } from '../../src/people/population.js';
import { Authority } from '../../src/noise/authority.js';
import { SignalDevice } from '../../src/signal/signal-device.js';
import type { ClientConnection } from '../../src/wire/client-connection.js';
import type { Stanza } from '../../src/wire/nodes.js';

/** The connection of a device that writes down what it is sent. */
export class RecordingConnection implements ClientConnection {
  readonly sent: Stanza[] = [];
  open = true;

  send(node: Stanza): boolean {
    if (this.open) this.sent.push(node);
    return this.open;
  }

  sendRubbish(): boolean {
    return this.open;
  }

  end(reason?: Stanza): void {
    if (reason) this.send(reason);
    this.open = false;
  }

  drop(): void {
    this.open = false;
  }
}

export const aPopulation = (): Population => new Population(new Authority('people of a test'));

/** Links a device to a person; it is connected and active unless it is said to be offline. */
export function linkDevice(
  person: Person,
  { online = true }: { online?: boolean } = {},
): { companion: Companion; connection: RecordingConnection; device: SignalDevice } {
  const number = person.nextDevice++;
  const device = new SignalDevice(person.derive(`device of a test ${number}`));
  const [first, second] = [device.bundle(), device.bundle()];
  const preKeys = [first.preKey, second.preKey].filter((key) => key !== undefined);
  const companion = new Companion({
    device: number,
    noiseKey: first.identity,
    identity: first.identity,
    registrationId: first.registrationId,
    signedPreKey: first.signedPreKey,
    preKeys,
    signedIdentity: Buffer.from('signed'),
    synced: true,
  });
  person.isAccount = true;
  person.companions.set(number, companion);
  const connection = new RecordingConnection();
  companion.active = online;
  if (online) companion.connection = connection;
  return { companion, connection, device };
}

/** Makes a message of an account as it stands with the person whom it reached. */
export const aReceivedMessage = (id: string, from: string, address: string) => ({
  ...{ id, from, address, text: 'hi', message: { conversation: 'hi' } },
  ...{ receivedAt: '2026-01-05T09:30:00.000Z', duplicates: 0, delivered: false, read: false },
});
