import { randomBytes } from 'node:crypto';
import { proto } from '@whiskeysockets/baileys/WAProto/index.js';
import type { HandshakeResult } from '../noise/handshake.js';
import { signalKey, verify } from '../noise/keys.js';
import type { Connection } from '../connections/connection.js';
import { revisionOf } from '../connections/versions.js';

const REFS_PER_CONNECTION = 6;

/** Description that a device gives of itself when it wants to be linked. */
export interface Registration {
  connection: Connection;
  /** Name that it gives itself for the list of devices on the phone. */
  name?: string;
  /** Number of the kind of device that it says it is. */
  deviceType: number;
  refs: string[];
  noiseKey: Buffer;
  identity: Buffer;
  registrationId: number;
  signedPreKey: { id: number; value: Buffer; signature: Buffer };
  /** Revision of the client. */
  revision: number;
  busy: boolean;
  /** Scans that were answered by an order to draw the code anew: all of one reference, each of another secret. */
  redrawing?: { ref: string; secrets: Buffer[] };
}

/** Says whether a first frame asks for linking rather than for a login. */
export const wantsLinking = (payload: proto.ClientPayload): boolean => payload.devicePairingData != null;

export function readRegistration(connection: Connection, handshake: HandshakeResult): Registration {
  const data = handshake.payload.devicePairingData;
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
    ...describedBy(data?.deviceProps),
    refs: Array.from({ length: REFS_PER_CONNECTION }, () => `2@${randomBytes(48).toString('base64')}`),
    noiseKey: handshake.noiseKey,
    identity,
    registrationId: bytes(data?.eRegid, 4, 'registration id').readUInt32BE(0),
    signedPreKey: { id: bytes(data?.eSkeyId, 3, 'signed pre-key id').readUIntBE(0, 3), value, signature },
    revision: revisionOf(handshake),
    busy: false,
  };
}

function describedBy(properties: Uint8Array | null | undefined): Pick<Registration, 'name' | 'deviceType'> {
  const { os, platformType } = proto.DeviceProps.decode(properties ?? new Uint8Array());
  return { name: os ?? undefined, deviceType: platformType ?? 0 };
}
