import { hiddenAddress, phoneAddress } from '@svc/contracts';
import { Companion } from '../people/companion.js';
import type { Person } from '../people/person.js';
import type { Population } from '../people/population.js';
import { Refusal } from '../http/refusal.js';
import type { Versions } from '../connections/versions.js';
import { bytesOf, child, type Stanza, stanza } from '../wire/nodes.js';
import { isAbout, isGenuine, offerDeviceIdentity } from './device-identity.js';
import type { Registration } from './registration.js';

/** Links a device, as the last step of every way: phone and device sign each other's keys, then the device starts anew. */
export async function linkDevice(
  population: Population,
  person: Person,
  registration: Registration,
  advSecret: Buffer,
): Promise<Companion> {
  const { connection, identity } = registration;
  const device = person.nextDevice++;
  const phone = person.device.identity;
  const offer = offerDeviceIdentity(phone, identity, advSecret, device);
  const answer = await connection
    .ask({ type: 'set', xmlns: 'md' }, [pairSuccess(person, device, offer.sealed)])
    .catch(() => undefined);
  const signedIdentity = bytesOf(child(child(answer, 'pair-device-sign'), 'device-identity'));
  const genuine = signedIdentity && isGenuine(signedIdentity, phone.public, identity);
  if (!genuine || !isAbout(signedIdentity, offer)) {
    connection.end(stanza('failure', { reason: 401 }));
    throw new Refusal(422, 'LINK_REFUSED', 'the device did not prove that it owns the keys it showed');
  }
  const companion = new Companion({ ...registration, device, signedIdentity, preKeys: [], synced: false });
  person.isAccount = true;
  person.companions.set(device, companion);
  population.touch(person);
  connection.end(stanza('stream:error', { code: 515 }));
  return companion;
}

/** The phone does not link a client that is too old, and says so to its owner alone. */
export function refuseOldClient(versions: Versions, person: Person, { revision }: Registration): void {
  if (!versions.refusesLink(person, revision)) return;
  throw new Refusal(422, 'LINK_REFUSED', 'the phone could not link the device: its client is too old');
}

/** Runs one scan or typed code at a time: a second one meanwhile would link the device twice. */
export async function lockRegistration<T>(
  registration: Registration,
  field: string,
  work: () => Promise<T>,
): Promise<T> {
  if (registration.busy) {
    throw new Refusal(409, `${field.toUpperCase()}_CONFLICT`, `${field} is being used already`, { field });
  }
  registration.busy = true;
  try {
    return await work();
  } finally {
    registration.busy = false;
  }
}

const pairSuccess = (person: Person, device: number, sealed: Buffer): Stanza =>
  stanza('pair-success', {}, [
    stanza('device-identity', {}, sealed),
    stanza('device', { jid: phoneAddress(person.phone, device), lid: hiddenAddress(person.lid, device) }),
    stanza('platform', { name: 'android' }),
  ]);
