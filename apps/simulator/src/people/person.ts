import { hmac } from '../noise/keys.js';
import { SenderKeys } from '../signal/sender-keys.js';
import { SignalDevice } from '../signal/signal-device.js';
import type { Companion } from './companion.js';
import { type Faults, noFaults } from './faults.js';
import type { ReceivedMessage, SentMessage } from './messages.js';
import { noRestrictions, type Restrictions } from './restrictions.js';
import type { SeenTyping } from './typing.js';

/** The behaviour of a contact when a message arrives. */
export interface Behaviour {
  delivered: 'auto' | 'never';
  deliveredDelayMs: number;
  read: 'auto' | 'never';
  readDelayMs: number;
  /** An offline contact gives no receipts until it is online again. */
  online: boolean;
  /** Number of the next messages that it cannot read, so that it asks for them again. */
  unreadable: number;
}

/** A collection of settings that phone and companions keep in step. */
export interface Collection {
  version: number;
  patches: Buffer[];
}

const DEFAULT_BEHAVIOUR: Behaviour = {
  delivered: 'auto',
  deliveredDelayMs: 0,
  read: 'never',
  readDelayMs: 0,
  online: true,
  unreadable: 0,
};

/** Person with a phone number. With companions the number is an account; anybody can be a contact. */
export class Person {
  readonly lid: string;
  name?: string;
  /** Other spellings of its number: a look-up of one is answered with the account's own. `Population.setAliases` sets them. */
  aliases: readonly string[] = [];
  registered = true;
  isAccount = false;
  isContact = false;
  behaviour: Behaviour = { ...DEFAULT_BEHAVIOUR };
  /** Faults of the platform towards this account. */
  readonly faults: Faults = noFaults();
  /** Restrictions of beginning new chats. */
  readonly restrictions: Restrictions = noRestrictions();
  nextDevice = 1;
  readonly companions = new Map<number, Companion>();
  readonly received: ReceivedMessage[] = [];
  readonly sent = new Map<string, SentMessage>();
  readonly collections = new Map<string, Collection>();
  /** Ids that could not be decrypted yet, with the number of times a resend was asked for. */
  readonly pending = new Map<string, number>();
  /** True when the person is there, as far as others are notified. */
  available = false;
  /** Last typing that the person was shown in the chat, by account. */
  readonly seenTyping = new Map<string, SeenTyping>();
  /** Keys of the groups it belongs to. */
  readonly senderKeys = new SenderKeys();
  private readonly receivedByKey = new Map<string, ReceivedMessage>();
  private signal?: SignalDevice;

  constructor(
    readonly phone: string,
    private readonly secret: Buffer,
  ) {
    // The id has fifteen digits that follow from the number, so that they are the same after a restart.
    this.lid = String(100_000_000_000_000 + hmac(secret, 'lid').readUIntBE(0, 5));
  }

  /** Phone of the person. Made on first use, because most numbers are only ever looked up. */
  get device(): SignalDevice {
    return (this.signal ??= new SignalDevice(this.secret));
  }

  get hasDevice(): boolean {
    return this.signal !== undefined;
  }

  /** Derives secret bytes of this person for one purpose. */
  derive(label: string): Buffer {
    return hmac(this.secret, label);
  }

  /** Adds a message to those that reached the person. */
  addReceived(message: ReceivedMessage): void {
    this.received.push(message);
    this.receivedByKey.set(`${message.from}/${message.id}`, message);
  }

  /** Finds a message that reached the person from an account. */
  findReceived(from: string, id: string): ReceivedMessage | undefined {
    return this.receivedByKey.get(`${from}/${id}`);
  }
}

/** Names one of a person's devices inside a Signal session store. */
export const peerName = (person: Person, device: number): string => `${person.lid}.${device}`;
