import curve from 'libsignal/src/curve.js';
import { agree, randomKeyPair, signalKey } from '../noise/keys.js';

/** The parts of the library's module that are replaced. */
interface Replaceable {
  calculateAgreement(publicKey: Buffer, privateKey: Buffer): Buffer;
  generateKeyPair(): { pubKey: Buffer; privKey: Buffer };
}

const KEY_BYTES = 32;

/**
 * The library reads every key as DER. A new session takes four agreements, so on a busy platform that is most of
 * the time spent; the same arithmetic on raw keys is put in its place.
 */
const library = curve as unknown as Replaceable;
library.calculateAgreement = (publicKey, privateKey) => agree(privateKey, publicKey.subarray(-KEY_BYTES));
library.generateKeyPair = () => {
  const pair = randomKeyPair();
  return { pubKey: signalKey(pair.public), privKey: pair.private };
};
