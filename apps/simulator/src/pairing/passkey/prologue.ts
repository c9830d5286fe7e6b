import { proto } from '@whiskeysockets/baileys/WAProto/index.js';
import { bytesOf, child, children, type Stanza } from '../../wire/nodes.js';

const NAMES_IN_ORDER = ['credential_id', 'webauthn_assertion', 'prologue_payload', 'pairing_handoff_proof'];

/** Parts of the answer of a device to a challenge. */
export interface PrologueParts {
  credentialId: Buffer;
  assertion: Buffer;
  payload: Buffer;
  proof: Buffer | undefined;
}

/** Side of the device in a ceremony, which it has bound itself to. */
export interface Prologue {
  identity: Buffer;
  commitment: Buffer;
  public: Buffer;
  deviceType: number;
}

/** Takes the answer of a device apart; undefined when its parts are not there in their order. */
export function partsOfPrologue(node: Stanza): PrologueParts | undefined {
  const names = children(node).map(({ tag }) => tag);
  if (names.join() !== NAMES_IN_ORDER.slice(0, names.length).join()) return undefined;
  const [credentialId, assertion, payload, proof] = NAMES_IN_ORDER.map((name) => bytesOf(child(node, name)));
  return credentialId && assertion && payload && { credentialId, assertion, payload, proof };
}

/** Reads the side of a device; undefined when it is not about the reference and the kind of device that are meant. */
export function readPrologue(
  payload: Buffer,
  expected: { ref: string; deviceType: number },
): Prologue | undefined {
  try {
    const { companionEphemeralIdentity, commitment } = proto.ProloguePayload.decode(payload);
    const identity = Buffer.from(companionEphemeralIdentity ?? []);
    const { publicKey, deviceType, ref } = proto.CompanionEphemeralIdentity.decode(identity);
    if (ref !== expected.ref || deviceType !== expected.deviceType) return undefined;
    if (publicKey?.length !== 32 || commitment?.hash?.length !== 32) return undefined;
    const hash = Buffer.from(commitment.hash);
    return { identity, commitment: hash, public: Buffer.from(publicKey), deviceType };
  } catch {
    return undefined;
  }
}
