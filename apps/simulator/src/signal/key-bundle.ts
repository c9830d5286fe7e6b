import { signalKey } from '../noise/keys.js';
import { bigEndian, bytesOf, child, numberOf, type Stanza, stanza } from '../wire/nodes.js';

/** A published pre-key. */
export interface PreKey {
  id: number;
  value: Buffer;
}

export interface SignedPreKey extends PreKey {
  signature: Buffer;
}

/** Keys that another device needs in order to open a session with a device. */
export interface KeyBundle {
  registrationId: number;
  identity: Buffer;
  signedPreKey: SignedPreKey;
  preKey?: PreKey;
}

const KEY_TYPE = Buffer.from([5]);
const ID_BYTES = 3;

/** Says of which kind the keys of a bundle are. */
export const keyTypeNode = (): Stanza => stanza('type', {}, KEY_TYPE);

const preKeyNode = (key: PreKey): Stanza =>
  stanza('key', {}, [stanza('id', {}, bigEndian(key.id, ID_BYTES)), stanza('value', {}, key.value)]);

export const signedPreKeyNode = (key: SignedPreKey): Stanza =>
  stanza('skey', {}, [
    stanza('id', {}, bigEndian(key.id, ID_BYTES)),
    stanza('value', {}, key.value),
    stanza('signature', {}, key.signature),
  ]);

export const registrationNode = (registrationId: number): Stanza =>
  stanza('registration', {}, bigEndian(registrationId, 4));

/** Writes a bundle as in the answer to a key query; a retry receipt carries the same inside `<keys>`. */
export function bundleNodes(bundle: KeyBundle): Stanza[] {
  const nodes = [
    keyTypeNode(),
    stanza('identity', {}, bundle.identity),
    signedPreKeyNode(bundle.signedPreKey),
  ];
  return bundle.preKey ? [...nodes, preKeyNode(bundle.preKey)] : nodes;
}

export function readPreKey(node: Stanza | undefined): PreKey | undefined {
  const id = numberOf(child(node, 'id'));
  const value = bytesOf(child(node, 'value'));
  return id !== undefined && value?.length === 32 ? { id, value } : undefined;
}

export function readSignedPreKey(node: Stanza | undefined): SignedPreKey | undefined {
  const key = readPreKey(node);
  const signature = bytesOf(child(node, 'signature'));
  return key && signature?.length === 64 ? { ...key, signature } : undefined;
}

/** Reads the keys that a client added to a retry receipt so that a new session can be opened immediately. */
export function readRetryBundle(receipt: Stanza): KeyBundle | undefined {
  const keys = child(receipt, 'keys');
  const identity = bytesOf(child(keys, 'identity'));
  const signedPreKey = readSignedPreKey(child(keys, 'skey'));
  const registrationId = numberOf(child(receipt, 'registration'));
  if (!identity || !signedPreKey || registrationId === undefined) return undefined;
  return { registrationId, identity, signedPreKey, preKey: readPreKey(child(keys, 'key')) };
}

/** Writes a bundle in the shape of the Signal library. */
export function forSignal(bundle: KeyBundle): {
  registrationId: number;
  identityKey: Buffer;
  signedPreKey: { keyId: number; publicKey: Buffer; signature: Buffer };
  preKey: { keyId: number; publicKey: Buffer };
} {
  const { signedPreKey, preKey } = bundle;
  return {
    registrationId: bundle.registrationId,
    identityKey: signalKey(bundle.identity),
    signedPreKey: {
      keyId: signedPreKey.id,
      publicKey: signalKey(signedPreKey.value),
      signature: signedPreKey.signature,
    },
    // The library accepts a bundle without a one-time key; only its type declaration does not.
    preKey: (preKey && { keyId: preKey.id, publicKey: signalKey(preKey.value) }) as {
      keyId: number;
      publicKey: Buffer;
    },
  };
}
