import { randomBytes } from 'node:crypto';
import type { proto } from '@whiskeysockets/baileys/WAProto/index.js';
import type { Greeting } from '../noise/handshake.js';
import { signalKey, verify } from '../noise/keys.js';
import { Companion } from '../people/companion.js';
import type { Person } from '../people/person.js';
import type { Population } from '../people/population.js';
import { Refusal } from '../refusal.js';
import type { Connection } from '../wire/connection.js';
import { lidJid, phoneJid, SERVER } from '../wire/jids.js';
import { bytesOf, child, type Stanza, stanza } from '../wire/nodes.js';
import { concerns, isGenuine, offerDeviceIdentity } from './device-identity.js';
import { parseQr, type ScannedQr } from './qr.js';

const REFS_PER_CONNECTION = 6;

/** What a device that wants to be linked says about itself. */
interface Registration {
  connection: Connection;
  refs: string[];
  noiseKey: Buffer;
  identity: Buffer;
  registrationId: number;
  signedPreKey: { id: number; value: Buffer; signature: Buffer };
  busy: boolean;
}

/** Linking of new devices: hands out the references that a QR code shows and does what the phone does on a scan. */
export class Pairing {
  private readonly byRef = new Map<string, Registration>();
  private readonly byConnection = new Map<Connection, Registration>();

  constructor(private readonly population: Population) {}

  offer(connection: Connection, greeting: Greeting): void {
    const registration = readRegistration(connection, greeting);
    this.byConnection.set(connection, registration);
    for (const ref of registration.refs) this.byRef.set(ref, registration);
    const refs = registration.refs.map((ref) => stanza('ref', {}, Buffer.from(ref)));
    // Nobody has to wait for the answer: a client that does not answer shows no QR code.
    connection
      .ask({ type: 'set', xmlns: 'md', to: SERVER }, [stanza('pair-device', {}, refs)])
      .catch(() => undefined);
  }

  forget(connection: Connection): void {
    for (const ref of this.byConnection.get(connection)?.refs ?? []) this.byRef.delete(ref);
    this.byConnection.delete(connection);
  }

  async scan(person: Person, text: string): Promise<Companion> {
    const qr = parseQr(text);
    if (!qr)
      throw new Refusal(400, 'VALIDATION_FAILED', 'qr is not the text of a linking QR code', { field: 'qr' });
    const registration = this.byRef.get(qr.ref);
    if (!registration?.connection.open) {
      const message = 'qr has expired: the connection that showed it is gone';
      throw new Refusal(410, 'QR_EXPIRED', message, { field: 'qr' });
    }
    if (!matches(qr, registration)) {
      const message = 'qr does not belong to the connection that showed it: its keys differ';
      throw new Refusal(400, 'VALIDATION_FAILED', message, { field: 'qr' });
    }
    if (registration.busy)
      throw new Refusal(409, 'QR_CONFLICT', 'qr is being scanned already', { field: 'qr' });
    registration.busy = true;
    try {
      return await this.link(person, registration, qr);
    } finally {
      registration.busy = false;
    }
  }

  private async link(person: Person, registration: Registration, qr: ScannedQr): Promise<Companion> {
    const { connection, identity } = registration;
    const device = person.nextDevice++;
    const phone = person.device.identity;
    const offer = offerDeviceIdentity(phone, identity, qr.advSecret, device);
    const answer = await connection
      .ask({ type: 'set', xmlns: 'md' }, [pairSuccess(person, device, offer.sealed)])
      .catch(() => undefined);
    const signedIdentity = bytesOf(child(child(answer, 'pair-device-sign'), 'device-identity'));
    const genuine = signedIdentity && isGenuine(signedIdentity, phone.public, identity);
    if (!genuine || !concerns(signedIdentity, offer)) {
      connection.end(stanza('failure', { reason: 401 }));
      throw new Refusal(422, 'LINK_REFUSED', 'the device did not prove that it owns the keys of the qr');
    }
    const companion = new Companion({ ...registration, device, signedIdentity, preKeys: [], synced: false });
    person.isAccount = true;
    person.companions.set(device, companion);
    this.population.touch(person);
    connection.end(stanza('stream:error', { code: 515 }));
    return companion;
  }
}

function readRegistration(connection: Connection, greeting: Greeting): Registration {
  const data = greeting.payload.devicePairingData;
  const bytes = (value: Uint8Array | null | undefined, length: number, name: string): Buffer => {
    if (value?.length !== length) throw new Error(`the registration has no proper ${name}`);
    return Buffer.from(value);
  };
  const identity = bytes(data?.eIdent, 32, 'identity key');
  const value = bytes(data?.eSkeyVal, 32, 'signed pre-key');
  const signature = bytes(data?.eSkeySig, 64, 'signed pre-key signature');
  if (!verify(identity, signalKey(value), signature)) throw new Error('the signed pre-key is not signed');
  return {
    connection,
    refs: Array.from({ length: REFS_PER_CONNECTION }, () => `2@${randomBytes(48).toString('base64')}`),
    noiseKey: greeting.noiseKey,
    identity,
    registrationId: bytes(data?.eRegid, 4, 'registration id').readUInt32BE(0),
    signedPreKey: { id: bytes(data?.eSkeyId, 3, 'signed pre-key id').readUIntBE(0, 3), value, signature },
    busy: false,
  };
}

const matches = (qr: ScannedQr, registration: Registration): boolean =>
  qr.noiseKey.equals(registration.noiseKey) && qr.identity.equals(registration.identity);

const pairSuccess = (person: Person, device: number, sealed: Buffer): Stanza =>
  stanza('pair-success', {}, [
    stanza('device-identity', {}, sealed),
    stanza('device', { jid: phoneJid(person.phone, device), lid: lidJid(person.lid, device) }),
    stanza('platform', { name: 'android' }),
  ]);

/** Whether a first frame asks for linking rather than for a login. */
export const wantsLinking = (payload: proto.ClientPayload): boolean => payload.devicePairingData != null;
