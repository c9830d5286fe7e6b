import { WebSocket } from 'ws';
import { proto } from '@whiskeysockets/baileys/WAProto/index.js';
import { CountingCipher, type Transport } from '../../src/noise/cipher.js';
import { frame, FrameReader, PROLOGUE } from '../../src/noise/frames.js';
import { PATTERNS, SymmetricState } from '../../src/noise/handshake.js';
import { agree, type KeyPair, randomKeyPair } from '../../src/noise/keys.js';
import { decodeStanza, encodeStanza, type Stanza, stanza } from '../../src/wire/nodes.js';
import type { Credentials } from './phone-client.js';
import { until } from './phone-client.js';

/** Initiator: the initiating side of Noise XX and IK, as small as can be. */
export class Initiator {
  private state = new SymmetricState();
  readonly ephemeral = randomKeyPair();

  constructor(private readonly noiseKey: KeyPair) {}

  hello(): Uint8Array {
    this.state.mixHash(PROLOGUE);
    this.state.mixHash(this.ephemeral.public);
    return proto.HandshakeMessage.encode({ clientHello: { ephemeral: this.ephemeral.public } }).finish();
  }

  /** Says at once who it is, to the owner of a key that it remembers. */
  resume(identity: Buffer, payload: proto.IClientPayload): Uint8Array {
    this.state = new SymmetricState(PATTERNS.resumed);
    this.state.mixHash(PROLOGUE);
    this.state.mixHash(identity);
    this.state.mixHash(this.ephemeral.public);
    this.state.mixKey(agree(this.ephemeral.private, identity));
    const key = this.state.encrypt(this.noiseKey.public);
    this.state.mixKey(agree(this.noiseKey.private, identity));
    const sealed = this.state.encrypt(proto.ClientPayload.encode(payload).finish());
    const clientHello = { ephemeral: this.ephemeral.public, static: key, payload: sealed };
    return proto.HandshakeMessage.encode({ clientHello }).finish();
  }

  /** Reads the server's answer to that, which ends the handshake. */
  readResumed(body: Uint8Array): Transport {
    const hello = proto.HandshakeMessage.decode(body).serverHello;
    if (!hello?.ephemeral || hello.static?.length || !hello.payload) throw new Error('it is not resumed');
    this.state.mixHash(hello.ephemeral);
    this.state.mixKey(agree(this.ephemeral.private, hello.ephemeral));
    this.state.mixKey(agree(this.noiseKey.private, hello.ephemeral));
    this.state.decrypt(hello.payload);
    return this.transport();
  }

  /** Forgets what it remembered: the hello that follows is to be read in full. */
  beginAnew(): void {
    this.state = new SymmetricState(PATTERNS.fallback);
    this.state.mixHash(PROLOGUE);
    this.state.mixHash(this.ephemeral.public);
  }

  /** Reads the server's hello; returns its static key and certificate chain. */
  read(body: Uint8Array): { identity: Buffer; certificate: Buffer; serverEphemeral: Uint8Array } {
    const hello = proto.HandshakeMessage.decode(body).serverHello;
    if (!hello?.ephemeral || !hello.static || !hello.payload) throw new Error('no server hello');
    this.state.mixHash(hello.ephemeral);
    this.state.mixKey(agree(this.ephemeral.private, hello.ephemeral));
    const identity = this.state.decrypt(hello.static);
    this.state.mixKey(agree(this.ephemeral.private, identity));
    return { identity, certificate: this.state.decrypt(hello.payload), serverEphemeral: hello.ephemeral };
  }

  finish(
    serverEphemeral: Uint8Array,
    payload: proto.IClientPayload,
  ): { body: Uint8Array; transport: Transport } {
    const key = this.state.encrypt(this.noiseKey.public);
    this.state.mixKey(agree(this.noiseKey.private, serverEphemeral));
    const sealed = this.state.encrypt(proto.ClientPayload.encode(payload).finish());
    const body = proto.HandshakeMessage.encode({ clientFinish: { static: key, payload: sealed } }).finish();
    return { body, transport: this.transport() };
  }

  private transport(): Transport {
    const [outgoing, incoming] = this.state.split();
    return { outgoing: new CountingCipher(outgoing), incoming: new CountingCipher(incoming) };
  }
}

/** Raw client: it sends exactly what a test wants, and confirms nothing. */
export class RawClient {
  readonly stanzas: Stanza[] = [];
  /** Frames that could not be read. */
  readonly failures: Error[] = [];
  closed = false;
  private socket!: WebSocket;
  private transport?: Transport;

  async login(url: string, noiseKey: KeyPair, payload: proto.IClientPayload): Promise<void> {
    const initiator = new Initiator(noiseKey);
    const reader = new FrameReader();
    // The reader expects the prologue that only clients send.
    reader.push(PROLOGUE);
    this.socket = new WebSocket(url);
    this.socket.on('close', () => (this.closed = true));
    this.socket.on('message', (data: Buffer) => {
      for (const body of reader.push(data)) this.take(body, initiator, payload);
    });
    await new Promise((resolve, reject) => this.socket.once('open', resolve).once('error', reject));
    this.socket.send(Buffer.concat([PROLOGUE, frame(initiator.hello())]));
  }

  /** Logs in as a device that was linked before; a login that is not passive asks for nothing more. */
  async resume(url: string, { creds }: Credentials, { passive = true } = {}): Promise<void> {
    const [user, device] = (creds.me?.id ?? '').split('@')[0]?.split(':') ?? [];
    const noiseKey = {
      public: Buffer.from(creds.noiseKey.public),
      private: Buffer.from(creds.noiseKey.private),
    };
    await this.login(url, noiseKey, { username: Number(user), device: Number(device), passive });
    await this.waitFor((node) => node.tag === 'success', 'success');
    if (passive) this.send(stanza('iq', { type: 'set', xmlns: 'passive', id: 'p' }, [stanza('active')]));
  }

  send(node: Stanza): void {
    this.sendEncrypted(encodeStanza(node));
  }

  /** Sends bytes properly encrypted, whatever they are. */
  sendEncrypted(plain: Uint8Array): void {
    if (!this.transport) throw new Error('the handshake is not finished');
    this.sendBytes(frame(this.transport.outgoing.encrypt(plain)));
  }

  sendBytes(bytes: Uint8Array): void {
    this.socket.send(bytes);
  }

  waitFor(matches: (node: Stanza) => boolean, what: string): Promise<Stanza> {
    return until(() => this.stanzas.find(matches), what);
  }

  /** Says goodbye in an orderly way. */
  end(): void {
    this.socket.close();
  }

  stop(): void {
    this.socket.terminate();
  }

  private take(body: Buffer, initiator: Initiator, payload: proto.IClientPayload): void {
    if (this.transport) return this.read(body, this.transport);
    const { serverEphemeral } = initiator.read(body);
    const finish = initiator.finish(serverEphemeral, payload);
    this.socket.send(frame(finish.body));
    this.transport = finish.transport;
  }

  private read(body: Buffer, { incoming }: Transport): void {
    try {
      this.stanzas.push(decodeStanza(incoming.decrypt(body)));
    } catch (error) {
      this.failures.push(error as Error);
    }
  }
}
