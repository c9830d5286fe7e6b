import { certificateChain } from './certificate.js';
import { Responder } from './handshake.js';
import { hmac, type KeyPair, keyPairFrom } from './keys.js';

/** This class holds the platform's own keys. All of them follow from the seed, so a client can be told the root once. */
export class Authority {
  readonly trustRoot: string;
  private readonly seed: Buffer;
  private readonly identity: KeyPair;
  private readonly certificate: Buffer;

  constructor(seed: string) {
    this.seed = Buffer.from(seed);
    const root = keyPairFrom(this.secret('root'));
    this.identity = keyPairFrom(this.secret('handshake'));
    this.certificate = certificateChain(root, keyPairFrom(this.secret('intermediate')), this.identity.public);
    this.trustRoot = root.public.toString('hex');
  }

  /** Derives 32 bytes that depend on the seed and the label only. */
  secret(label: string): Buffer {
    return hmac(this.seed, label);
  }

  responder(): Responder {
    return new Responder(this.identity, this.certificate);
  }
}
