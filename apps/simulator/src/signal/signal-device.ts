import { ProtocolAddress, SessionBuilder, SessionRecord, type SignalStorage } from 'libsignal';
import './quick-agreement.js';
import { hmac, type KeyPair, keyPairFrom, sign, signalKey } from '../noise/keys.js';
import { forSignal, type KeyBundle, type SignedPreKey } from './key-bundle.js';
import { forgetOldSessions, type OpenRecord, SessionTrials, shallowCopy } from './session-trials.js';

export type CipherType = 'pkmsg' | 'msg';

export interface Encrypted {
  type: CipherType;
  ciphertext: Buffer;
}

/** The state of a device that has to be saved; all its keys follow from the secret. */
export interface SignalDeviceState {
  nextPreKeyId: number;
  sessions: Record<string, unknown>;
}

interface SignalPair {
  pubKey: Buffer;
  privKey: Buffer;
}

const SIGNED_PRE_KEY_ID = 1;
const PRE_KEY_MESSAGE = 3;

const forLibrary = (pair: KeyPair): SignalPair => ({ pubKey: signalKey(pair.public), privKey: pair.private });

/**
 * This class is the phone of a simulated person in the Signal protocol. One-time keys are derived from their number, so that none has
 * to be stored and a session opened long ago can still be read after a restart.
 */
export class SignalDevice implements SignalStorage {
  readonly identity: KeyPair;
  readonly registrationId: number;
  private readonly sessions = new Map<string, OpenRecord>();
  private nextPreKeyId = 1;
  private signedPreKey?: SignedPreKey;
  private signedPair?: SignalPair;

  constructor(private readonly secret: Buffer) {
    this.identity = this.derive('identity');
    this.registrationId = (hmac(secret, 'registration').readUInt16BE(0) & 0x3fff) + 1;
  }

  /** Makes the public keys for a device that wants to write to this one; each call uses up another one-time key. */
  bundle(): KeyBundle {
    const id = this.nextPreKeyId++;
    return {
      registrationId: this.registrationId,
      identity: this.identity.public,
      signedPreKey: (this.signedPreKey ??= this.signPreKey()),
      preKey: { id, value: this.derive(`pre-key-${id}`).public },
    };
  }

  hasSession(peer: string): boolean {
    return this.sessions.get(peer)?.haveOpenSession() ?? false;
  }

  async open(peer: string, bundle: KeyBundle): Promise<void> {
    await new SessionBuilder(this, addressOf(peer)).initOutgoing(forSignal(bundle));
  }

  async encrypt(peer: string, plaintext: Buffer): Promise<Encrypted> {
    const { type, body } = await new SessionTrials(this, addressOf(peer)).encrypt(plaintext);
    return { type: type === PRE_KEY_MESSAGE ? 'pkmsg' : 'msg', ciphertext: Buffer.from(body) };
  }

  async decrypt(peer: string, type: CipherType, ciphertext: Buffer): Promise<Buffer> {
    const cipher = new SessionTrials(this, addressOf(peer));
    if (type === 'msg') return cipher.decryptWhisperMessage(ciphertext);
    const open = this.sessions.get(peer)?.getOpenSession();
    try {
      return await cipher.decryptPreKeyWhisperMessage(ciphertext);
    } catch (error) {
      // The library closes the current session before it knows whether the new one is any good.
      if (open) open.indexInfo.closed = -1;
      throw error;
    }
  }

  save(): SignalDeviceState {
    const sessions = [...this.sessions].map(([peer, record]) => [peer, record.serialize()]);
    return {
      nextPreKeyId: this.nextPreKeyId,
      sessions: Object.fromEntries(sessions) as Record<string, unknown>,
    };
  }

  restore(state: SignalDeviceState): void {
    this.nextPreKeyId = state.nextPreKeyId;
    for (const [peer, record] of Object.entries(state.sessions)) {
      this.sessions.set(peer, SessionRecord.deserialize(record as Uint8Array) as OpenRecord);
    }
  }

  // The library's storage interface.

  async loadSession(peer: string): Promise<SessionRecord | undefined> {
    const record = this.sessions.get(peer);
    return record && shallowCopy(record);
  }

  async storeSession(peer: string, record: SessionRecord): Promise<void> {
    forgetOldSessions(record as OpenRecord);
    this.sessions.set(peer, record as OpenRecord);
  }

  isTrustedIdentity(): boolean {
    return true;
  }

  async loadPreKey(id: number | string | undefined): Promise<SignalPair | undefined> {
    return id === undefined || Number(id) === 0 ? undefined : forLibrary(this.derive(`pre-key-${id}`));
  }

  removePreKey(): void {
    // Derived keys need no removal: a number is never handed out twice.
  }

  loadSignedPreKey(): SignalPair {
    return (this.signedPair ??= forLibrary(this.derive('signed-pre-key')));
  }

  getOurRegistrationId(): number {
    return this.registrationId;
  }

  getOurIdentity(): SignalPair {
    return forLibrary(this.identity);
  }

  private derive(label: string): KeyPair {
    return keyPairFrom(hmac(this.secret, label));
  }

  private signPreKey(): SignedPreKey {
    const value = this.derive('signed-pre-key').public;
    return { id: SIGNED_PRE_KEY_ID, value, signature: sign(this.identity.private, signalKey(value)) };
  }
}

/** Peers are named `user.device`, the way the library prints an address. */
const addressOf = (peer: string): ProtocolAddress => {
  const dot = peer.lastIndexOf('.');
  return new ProtocolAddress(peer.slice(0, dot), Number(peer.slice(dot + 1)));
};
