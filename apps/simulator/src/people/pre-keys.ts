import type { KeyBundle } from '../signal/key-bundle.js';
import { seconds, SERVER, stanza } from '../wire/nodes.js';
import type { Companion } from './companion.js';

/** Number of pre-keys below which the client is asked to upload more. */
const FEW_PRE_KEYS = 5;

/** Takes a key bundle of a linked device, and asks the device for more keys when few are left. */
export function takeBundle(companion: Companion): KeyBundle {
  const bundle = companion.bundle();
  askForPreKeys(companion);
  return bundle;
}

/** Asks an active client to upload one-time keys when few are left. One that has just been linked uploads its first by itself. */
export function askForPreKeys(companion: Companion): void {
  const left = companion.preKeys.length;
  if (!companion.active || !companion.synced || left >= FEW_PRE_KEYS) return;
  const attributes = { type: 'encrypt', from: SERVER, id: `low-${left}`, t: seconds() };
  companion.connection?.send(stanza('notification', attributes, [stanza('count', { value: left })]));
}
