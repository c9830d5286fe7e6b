import type { KeyBundle, PreKey, SignedPreKey } from '../signal/key-bundle.js';
import type { ClientConnection } from '../wire/client-connection.js';
import type { Stanza } from '../wire/nodes.js';
import type { StanzaFlaws } from './faults.js';
import type { SentMessage } from './messages.js';

/** A stanza that stays with the platform until the client has confirmed it. */
export interface QueuedStanza {
  key: string;
  node: Stanza;
  /** Number of times that it was put on the wire. */
  attempts: number;
  /** The plaintext of a person's message, from which it is encrypted again when the client asks. */
  source?: { phone: string; plaintext: Buffer; retries: number };
  /** The entry among the messages that its author sent. */
  sent?: SentMessage;
  /** Phone of the account whose device wrote it: only that device can encrypt it again. */
  relayedFrom?: string;
  /** True when the client has refused it for a passing reason, and what comes after it waits: so it is with statuses. */
  holdsBack?: boolean;
  /** Flaws that are made on purpose; each is used up on the way. */
  flaws?: StanzaFlaws;
}

/** The registered keys of a linked device, as they outlive a restart. */
export interface CompanionState {
  device: number;
  /** Name under which the phone lists it, as it said itself when it was linked. */
  name?: string;
  noiseKey: Buffer;
  identity: Buffer;
  registrationId: number;
  signedPreKey: SignedPreKey;
  preKeys: readonly PreKey[];
  /** The device identity as the phone signed it; every first message carries a copy. */
  signedIdentity: Buffer;
  /** The first connection after linking gets the history and the app-state keys. */
  synced: boolean;
}

/** Companion: a linked device, with its keys, its queue, and its connection. */
export class Companion implements CompanionState {
  readonly device: number;
  readonly name?: string;
  readonly noiseKey: Buffer;
  readonly identity: Buffer;
  readonly registrationId: number;
  signedPreKey: SignedPreKey;
  /** A new list for each change. */
  preKeys: readonly PreKey[];
  readonly signedIdentity: Buffer;
  synced: boolean;
  readonly queue = new Map<string, QueuedStanza>();
  connection?: ClientConnection;
  connectedAt?: Date;
  /** Revision that the client named at its last login. */
  revision?: number;
  /** True when the client is active, as it says itself: only then it gets stanzas. */
  active = false;
  /** Time since which the client says that its owner is there: meanwhile the phone notifies its owner of nothing. */
  availableSince?: Date;
  /** Number of times that it began to say so. */
  timesAvailable = 0;
  /** Phones of the people whose presence it subscribed to, by the address that it used. */
  readonly presenceSubscriptions = new Map<string, string>();
  /** The last device identity found genuine, so that it is not verified again with every message. */
  verifiedIdentity?: Buffer;

  constructor(state: CompanionState) {
    this.device = state.device;
    this.name = state.name;
    this.noiseKey = state.noiseKey;
    this.identity = state.identity;
    this.registrationId = state.registrationId;
    this.signedPreKey = state.signedPreKey;
    this.preKeys = state.preKeys;
    this.signedIdentity = state.signedIdentity;
    this.synced = state.synced;
  }

  get online(): boolean {
    return this.connection?.open ?? false;
  }

  get available(): boolean {
    return this.availableSince !== undefined;
  }

  /** Takes the word of the client whether its owner is there. */
  setAvailable(available: boolean): void {
    if (available === this.available) return;
    this.availableSince = available ? new Date() : undefined;
    if (available) this.timesAvailable += 1;
  }

  /** Makes a key bundle, which takes one of the uploaded one-time keys away. */
  bundle(): KeyBundle {
    const { registrationId, identity, signedPreKey } = this;
    const [preKey, ...others] = this.preKeys;
    this.preKeys = others;
    return { registrationId, identity, signedPreKey, preKey };
  }

  /** Adds one-time keys; a key of the same number is replaced. */
  addPreKeys(keys: PreKey[]): void {
    const fresh = new Set(keys.map((key) => key.id));
    this.preKeys = [...this.preKeys.filter((key) => !fresh.has(key.id)), ...keys];
  }
}
