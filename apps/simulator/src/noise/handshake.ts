import { proto } from '@whiskeysockets/baileys/WAProto/index.js';
import { CountingCipher, type Transport } from './cipher.js';
import { PROLOGUE } from './frames.js';
import { agree, hkdf, type KeyPair, randomKeyPair, sha256 } from './keys.js';

/** The ways of the handshake: in full; resumed by a client that remembers the platform's key; in full after a key that was not ours. */
export const PATTERNS = {
  full: Buffer.from('Noise_XX_25519_AESGCM_SHA256\0\0\0\0'),
  resumed: Buffer.from('Noise_IK_25519_AESGCM_SHA256\0\0\0\0'),
  fallback: sha256(Buffer.from('Noise_XXfallback_25519_AESGCM_SHA256')),
};
const EMPTY = Buffer.alloc(0);

/** This class holds hash, chaining key and cipher of a handshake in progress, the same for both sides. */
export class SymmetricState {
  private hash: Buffer;
  private chainingKey: Buffer;
  private cipher: CountingCipher;

  constructor(pattern: Buffer = PATTERNS.full) {
    this.hash = pattern;
    this.chainingKey = pattern;
    this.cipher = new CountingCipher(pattern);
  }

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

/** Answer to a client's hello; a resumed handshake ends with it. */
export interface ServerHello {
  frame: Buffer;
  result?: HandshakeResult;
}

/** This class is the answering side of the handshake: Noise XX, and IK for a client that remembers the platform's key. */
export class Responder {
  private state = new SymmetricState();
  private readonly ephemeral = randomKeyPair();

  constructor(
    private readonly identity: KeyPair,
    private readonly certificate: Uint8Array,
  ) {}

  hello(frame: Uint8Array): ServerHello {
    const hello = proto.HandshakeMessage.decode(frame).clientHello;
    const client = hello?.ephemeral;
    if (client?.length !== 32) throw new Error('the client hello has no ephemeral key');
    if (!hello?.static?.length || !hello.payload?.length) return this.introduce(client, PATTERNS.full);
    const resumed = this.resume(client, hello.static, hello.payload);
    return resumed ?? this.introduce(client, PATTERNS.fallback);
  }

  finish(frame: Uint8Array): HandshakeResult {
    const finish = proto.HandshakeMessage.decode(frame).clientFinish;
    if (!finish?.static || !finish.payload) throw new Error('the client finish is incomplete');
    const noiseKey = this.state.decrypt(finish.static);
    this.state.mixKey(agree(this.ephemeral.private, noiseKey));
    return this.resultOf(noiseKey, this.state.decrypt(finish.payload));
  }

  /** Shows the platform's key and proves it; the client says who it is afterwards. */
  private introduce(client: Uint8Array, pattern: Buffer): ServerHello {
    this.state = new SymmetricState(pattern);
    this.state.mixHash(PROLOGUE);
    this.state.mixHash(client);
    this.state.mixHash(this.ephemeral.public);
    this.state.mixKey(agree(this.ephemeral.private, client));
    const identity = this.state.encrypt(this.identity.public);
    this.state.mixKey(agree(this.identity.private, client));
    return { frame: this.helloFrame(identity) };
  }

  /** Takes a login that the hello brings already; undefined: it is sealed for another key than ours. */
  private resume(client: Uint8Array, sealedKey: Uint8Array, sealed: Uint8Array): ServerHello | undefined {
    this.state = new SymmetricState(PATTERNS.resumed);
    this.state.mixHash(PROLOGUE);
    this.state.mixHash(this.identity.public);
    this.state.mixHash(client);
    this.state.mixKey(agree(this.identity.private, client));
    const noiseKey = decryptOrNothing(this.state, sealedKey);
    if (!noiseKey) return undefined;
    this.state.mixKey(agree(this.identity.private, noiseKey));
    const payload = this.state.decrypt(sealed);
    this.state.mixHash(this.ephemeral.public);
    this.state.mixKey(agree(this.ephemeral.private, client));
    this.state.mixKey(agree(this.ephemeral.private, noiseKey));
    return { frame: this.helloFrame(), result: this.resultOf(noiseKey, payload) };
  }

  private helloFrame(identity?: Buffer): Buffer {
    const payload = this.state.encrypt(this.certificate);
    const serverHello = { ephemeral: this.ephemeral.public, static: identity, payload };
    return Buffer.from(proto.HandshakeMessage.encode({ serverHello }).finish());
  }

  private resultOf(noiseKey: Buffer, payload: Buffer): HandshakeResult {
    const [incoming, outgoing] = this.state.split();
    const transport = { incoming: new CountingCipher(incoming), outgoing: new CountingCipher(outgoing) };
    return { noiseKey, payload: proto.ClientPayload.decode(payload), transport };
  }
}

function decryptOrNothing(state: SymmetricState, ciphertext: Uint8Array): Buffer | undefined {
  try {
    return state.decrypt(ciphertext);
  } catch {
    return undefined;
  }
}
