import { createCipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { bytesToCrockford, proto } from '@whiskeysockets/baileys';
import { agree, type KeyPair, randomKeyPair } from '../../src/noise/keys.js';
import { bytesOf, child, SERVER, type Stanza, stanza, textOf } from '../../src/wire/nodes.js';
import { type PhoneClient, until } from './phone-client.js';

/** Ways in which a device does its part wrongly. */
export type Fault =
  | 'no ack'
  | 'no ack of the continuation'
  | 'old secret kept'
  | 'commitment over the key alone'
  | 'standard base 32'
  | 'proof with the new secret'
  | 'assertion first'
  | 'other ref in the salt'
  | 'keys of another device';

const sha256 = (...parts: Uint8Array[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest();
const derived = (secret: Uint8Array, salt: string, info: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, 32));

/** Device that is linked with a passkey: the library's client, with the ceremony around it. It is told by its test when to go on. */
export class PasskeyDevice {
  /** Challenge that it was told of, or asked for. */
  options: { challenge: string; timeout: number } | undefined;
  code: string | undefined;
  private continuation: proto.PrimaryEphemeralIdentity | undefined;
  private readonly keys: KeyPair = randomKeyPair();
  private readonly nonce = randomBytes(32);
  private readonly newSecret = randomBytes(32);
  private ref = '';

  constructor(
    readonly client: PhoneClient,
    private readonly fault?: Fault,
  ) {
    client.socket.ws.on('CB:notification', (node: Stanza) => void this.take(node));
  }

  /** Asks for the challenge, where it did not come by itself. */
  async ask(): Promise<void> {
    const answer = await this.query('get', stanza('passkey_request_options'));
    this.options = JSON.parse(textOf(child(answer, 'passkey_request_options')) ?? '{}');
  }

  /** Hands in the answer of the browser. */
  async answer(assertion: { rawId: string }, { withProof = false } = {}): Promise<void> {
    this.ref = textOf(child(await this.query('get', stanza('ref')), 'ref')) ?? '';
    const { fault, nonce, ref } = this;
    const publicKey = this.keys.public;
    const identity = proto.CompanionEphemeralIdentity.encode({ publicKey, deviceType: 1, ref }).finish();
    const hash =
      fault === 'commitment over the key alone' ? sha256(publicKey, nonce) : sha256(identity, nonce);
    const commitment = { hash };
    const payload = Buffer.from(
      proto.ProloguePayload.encode({ companionEphemeralIdentity: identity, commitment }).finish(),
    );
    const parts = [
      stanza('credential_id', {}, Buffer.from(assertion.rawId, 'base64url')),
      stanza('webauthn_assertion', {}, Buffer.from(JSON.stringify(assertion))),
      stanza('prologue_payload', {}, payload),
    ];
    if (fault === 'assertion first') parts.reverse();
    if (withProof) parts.push(stanza('pairing_handoff_proof', {}, this.proof(payload)));
    await this.query('set', stanza('passkey_prologue', {}, parts));
  }

  /** Opens its commitment, after the phone has shown its side, and shows the code. */
  async compare(): Promise<string> {
    const phone = await until(() => this.continuation, 'the continuation');
    await this.query('set', stanza('companion_nonce', {}, this.nonce));
    const digest = sha256(this.nonce, phone.publicKey ?? Buffer.alloc(0));
    const bytes = Buffer.from(phone.nonce ?? []).subarray(0, 5);
    const code = bytesToCrockford(Buffer.from(bytes.map((byte, at) => byte ^ (digest[at] ?? 0))));
    const shown = this.fault === 'standard base 32' ? `0${code.slice(1)}`.replaceAll('0', 'I') : code;
    return `${shown.slice(0, 4)}-${shown.slice(4)}`;
  }

  /** Opens the commitment before the phone has shown its side. */
  hurry(): Promise<unknown> {
    return this.query('set', stanza('companion_nonce', {}, this.nonce));
  }

  /** Sends its keys, and takes the new secret for its own. */
  async finish(): Promise<void> {
    const { creds } = this.client.socket.authState;
    const { fault } = this;
    const other = Buffer.alloc(32, 7);
    const request = proto.PairingRequest.encode({
      companionPublicKey: creds.noiseKey.public,
      companionIdentityKey: fault === 'keys of another device' ? other : creds.signedIdentityKey.public,
      advSecret: this.newSecret,
    }).finish();
    const shared = agree(this.keys.private, this.continuation?.publicKey ?? Buffer.alloc(0));
    const ref = fault === 'other ref in the salt' ? `${this.ref}x` : this.ref;
    const key = derived(shared, `Companion Pairing 1 with ref ${ref}`, 'Pairing Information Encryption Key');
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', key, iv);
    const encryptedPayload = Buffer.concat([cipher.update(request), cipher.final(), cipher.getAuthTag()]);
    const sealed = Buffer.from(proto.EncryptedPairingRequest.encode({ encryptedPayload, iv }).finish());
    if (fault !== 'old secret kept') creds.advSecretKey = this.newSecret.toString('base64');
    await this.query('set', stanza('encrypted_pairing_request', {}, sealed));
  }

  private proof(payload: Buffer): Buffer {
    const old = Buffer.from(this.client.socket.authState.creds.advSecretKey, 'base64');
    const secret = this.fault === 'proof with the new secret' ? this.newSecret : old;
    return createHmac('sha256', derived(secret, '', 'shortcake-passkey-handoff-v1'))
      .update(payload)
      .digest();
  }

  private async take(node: Stanza): Promise<void> {
    const { id = '', type = '' } = node.attrs;
    const isContinuation = type === 'crsc_continuation';
    const isSilent =
      this.fault === 'no ack' || (isContinuation && this.fault === 'no ack of the continuation');
    if (!isSilent)
      await this.client.socket.sendNode(stanza('ack', { class: 'notification', type, id, to: SERVER }));
    const options = textOf(child(node, 'passkey_request_options'));
    if (options) this.options = JSON.parse(options);
    const identity = bytesOf(child(node, 'primary_ephemeral_identity'));
    if (isContinuation && identity) this.continuation = proto.PrimaryEphemeralIdentity.decode(identity);
  }

  /** Asks the platform. @throws Error with its number in `data`. */
  private query(type: 'get' | 'set', content: Stanza): Promise<Stanza> {
    return this.client.socket.query(stanza('iq', { xmlns: 'md', type, to: SERVER }, [content]));
  }
}
