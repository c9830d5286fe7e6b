import { proto } from '@whiskeysockets/baileys/WAProto/index.js';
import { CountingCipher, type Transport } from './cipher.js';
import { PROLOGUE } from './frames.js';
import { agree, hkdf, type KeyPair, randomKeyPair, sha256 } from './keys.js';

const PATTERN = Buffer.from('Noise_XX_25519_AESGCM_SHA256\0\0\0\0');
const EMPTY = Buffer.alloc(0);

/** This class holds hash, chaining key and cipher of a handshake in progress, the same for both sides. */
export class SymmetricState {
  private hash: Buffer = PATTERN;
  private chainingKey: Buffer = PATTERN;
  private cipher = new CountingCipher(PATTERN);

  mixHash(data: Uint8Array): void {
    this.hash = sha256(Buffer.concat([this.hash, data]));
  }

  mixKey(secret: Uint8Array): void {
    const keys = hkdf(secret, 64, this.chainingKey);
    this.chainingKey = keys.subarray(0, 32);
    this.cipher = new CountingCipher(keys.subarray(32));
  }

  encrypt(plaintext: Uint8Array): Buffer {
    const ciphertext = this.cipher.encrypt(plaintext, this.hash);
    this.mixHash(ciphertext);
    return ciphertext;
  }

  decrypt(ciphertext: Uint8Array): Buffer {
    const plaintext = this.cipher.decrypt(ciphertext, this.hash);
    this.mixHash(ciphertext);
    return plaintext;
  }

  /** Makes the two keys of the transport: the first from initiator to responder, the second back. */
  split(): [Buffer, Buffer] {
    const keys = hkdf(EMPTY, 64, this.chainingKey);
    return [keys.subarray(0, 32), keys.subarray(32)];
  }
}

/** Facts about the client from a finished handshake. */
export interface HandshakeResult {
  /** The client's long-lived noise key: its login credential. */
  noiseKey: Buffer;
  payload: proto.ClientPayload;
  transport: Transport;
}

/** This class is the answering side of Noise XX. */
export class Responder {
  private readonly state = new SymmetricState();
  private readonly ephemeral = randomKeyPair();

  constructor(
    private readonly identity: KeyPair,
    private readonly certificate: Uint8Array,
  ) {}

  hello(frame: Uint8Array): Buffer {
    const client = proto.HandshakeMessage.decode(frame).clientHello?.ephemeral;
    if (client?.length !== 32) throw new Error('the client hello has no ephemeral key');
    this.state.mixHash(PROLOGUE);
    this.state.mixHash(client);
    this.state.mixHash(this.ephemeral.public);
    this.state.mixKey(agree(this.ephemeral.private, client));
    const identity = this.state.encrypt(this.identity.public);
    this.state.mixKey(agree(this.identity.private, client));
    const payload = this.state.encrypt(this.certificate);
    const serverHello = { ephemeral: this.ephemeral.public, static: identity, payload };
    return Buffer.from(proto.HandshakeMessage.encode({ serverHello }).finish());
  }

  finish(frame: Uint8Array): HandshakeResult {
    const finish = proto.HandshakeMessage.decode(frame).clientFinish;
    if (!finish?.static || !finish.payload) throw new Error('the client finish is incomplete');
    const noiseKey = this.state.decrypt(finish.static);
    this.state.mixKey(agree(this.ephemeral.private, noiseKey));
    const payload = proto.ClientPayload.decode(this.state.decrypt(finish.payload));
    const [incoming, outgoing] = this.state.split();
    const transport = { incoming: new CountingCipher(incoming), outgoing: new CountingCipher(outgoing) };
    return { noiseKey, payload, transport };
  }
}
