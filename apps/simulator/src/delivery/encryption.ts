import type { Companion } from '../people/companion.js';
import { peerName, type Person } from '../people/person.js';
import { takeBundle } from '../people/pre-keys.js';
import type { KeyBundle } from '../signal/key-bundle.js';
import { pad } from '../signal/padding.js';
import { type Stanza, stanza } from '../wire/nodes.js';

/** Encrypts what a person's phone writes to one linked device, opening a session when there is none. */
export async function encryptFor(
  author: Person,
  owner: Person,
  companion: Companion,
  plaintext: Buffer,
  fresh?: KeyBundle,
  attributes: { mediatype?: string; count?: number } = {},
): Promise<Stanza> {
  const peer = peerName(owner, companion.device);
  const bundle = fresh ?? (author.device.hasSession(peer) ? undefined : takeBundle(companion));
  if (bundle) await author.device.open(peer, bundle);
  const { type, ciphertext } = await author.device.encrypt(peer, pad(plaintext));
  return stanza('enc', { v: 2, type, ...attributes }, ciphertext);
}
