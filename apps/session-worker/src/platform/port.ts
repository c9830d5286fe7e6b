import type {
  DisconnectReason,
  LogoutReason,
  OutboundContent,
  PairingCode,
  RestrictionReason,
  StatusReason,
  TypingState,
} from '@svc/contracts';
import type { Agent } from 'node:https';
import type { InboundRecord, OutgoingFile, OutgoingMessage, ReceivedMessage } from './messages.js';
import type { PasskeyReport, PasskeySteps } from './passkey.js';
import type { InboundCall } from './calls.js';
import type { ProxyRoute } from './proxy.js';
import type { EarlyVote } from './votes.js';

/** Credentials that link a session to its number. Only the platform reads them, and its sockets change them. */
export interface Credentials {
  /** True when a phone has linked them. */
  readonly isLinked: boolean;
  /** True when they are the half of a link: a broken pairing leaves credentials that cannot log in. */
  readonly isHalfLinked: boolean;
  /** Writes the bytes that `Platform.credentialsFrom` reads. */
  toBytes(): Buffer;
}

/** Address of the platform, and the limits after which a socket counts as deaf. */
export interface PlatformAddress {
  url: string;
  /** Key in hex; without it, the platform's own holds. */
  trustRoot?: string;
  limits: {
    /** Time between two pings of the platform, in ms. */
    keepAliveMs: number;
    /** Longest time that work of one kind may be under way without any of it ending, in ms. */
    stallMs: number;
  };
  /** Name under which the phone lists this device; absent: that of a common system. */
  deviceName?: string;
  /** Route of all connections of this socket. */
  proxy?: ProxyRoute;
  /** Way of its TLS connections; absent: straight. */
  agent?: Agent;
  /** Revision of the client that the socket names; without it, the library's own. */
  revision?: number;
}

/** Limits of a download of the file of an inbound message. */
export interface DownloadLimits {
  signal: AbortSignal;
  maxBytes: number;
  /** Address of the session's platform: files come from its hosts alone, whatever the sender names. */
  platformUrl: string;
  /** The way of the session that the file is for; absent: straight. */
  agent?: Agent;
}

/** Restriction of beginning new chats, as the platform reports it. */
export interface PlatformRestriction {
  reason: RestrictionReason;
  isActive: boolean;
  /** Time at which it ends by itself; undefined where the platform does not give one. */
  until?: Date | undefined;
}

/** Reason for which the platform does not take a message. */
export interface Refusal {
  /** Detail in the platform's words, e.g. its error number. */
  detail: string;
  /** True when the message was refused because it would begin a chat. */
  isOfNewChat: boolean;
}

/** Next step after the end of a socket: `again` without a wait, because such an end is usual; `later` with back-off; `stop` not by ourselves. */
export type NextStep =
  | { next: 'again'; reason: StatusReason }
  | { next: 'later' | 'stop'; reason: DisconnectReason }
  | { next: 'logged-out'; reason: LogoutReason };

/** End of a socket, and its consequence. */
export type SocketClose = NextStep & {
  /** True when the connection did not work, though it looked so or should have: after several in a row each connection waits longer. */
  isMalfunction: boolean;
  /** The platform's number for it, for the log. */
  code?: number;
  /** Time before which the platform lets the session not log in. */
  until?: Date;
};

/** Listener for acks and receipts of messages on one socket. */
export interface MessageListener {
  /** Reports that the platform's server took the message (`refusal` undefined) or refused it. */
  onAck(keyId: string, refusal: Refusal | undefined): void;
  /**
   * Reports a receipt of the contact's device for these messages, with the time that it names. The platform gets its confirmation when this resolves.
   */
  onReceipt(keyIds: string[], kind: 'delivered' | 'read', at: Date): Promise<void>;
}

/** Listens to one socket. */
export interface PlatformListener extends MessageListener {
  /** Reports a QR code that may be shown until `expiresAt`; `isRedrawn`: the platform wants it scanned once more. */
  onQr(qr: string, expiresAt: Date, isRedrawn?: boolean): void;
  /** Reports the code to type that replaces the one that was asked for; undefined: there is none any more. */
  onPairingCode(code: PairingCode | undefined): void;
  /** Reports that the platform wants a passkey before it links the number, and each step from there to the end. */
  onPasskey(report: PasskeyReport): void;
  /** Reports that the socket has logged in and works. `phone` in digits. */
  onOpen(phone: string): void;
  /** Reports, of a socket that has logged in, that it may not work; undefined: the doubts are over. */
  onDoubt(reason: DisconnectReason | undefined): void;
  /** The socket is gone. Called once. */
  onClose(close: SocketClose): void;
  /** Reports that the credentials have changed and must be saved. */
  onCredentials(): void;
  onRestriction(restriction: PlatformRestriction): void;
}

/** Name of one value of a session's key store. */
export interface KeyName {
  type: string;
  id: string;
}

/** A change of the key store; null deletes. Values are the platform's own and secret. */
export interface KeyChange extends KeyName {
  value: Buffer | null;
}

/** Counts how often a stanza, by its name, has ended the session's connection, or the process. */
export interface StanzaEnds {
  endsOf(stanza: string): number;
  /** Counts one more. */
  ended(stanza: string): Promise<void>;
  /** Writes down which stanzas are in hand, in place of those before, where the former owner of the session vanished: it may do so over one of them. */
  inHand(stanzas: string[]): Promise<void>;
  /** Forgets a stanza that has been done with. */
  done(stanza: string): Promise<void>;
}

/** Keeps the keys and the journal of one session. */
export interface PlatformStore {
  readonly ends: StanzaEnds;
  /** Reads values of one type by id; those that are not there are left out. */
  get(type: string, ids: string[]): Promise<Record<string, Buffer>>;
  /** Writes keys and inbound messages in one transaction. */
  commit(changes: KeyChange[], inbound: InboundRecord[]): Promise<void>;
  /** Reads the plaintext of a message that was journaled before. */
  journaled(sender: string, keyId: string): Promise<Uint8Array | undefined>;
  /** Reads the plaintext of a message that was journaled under one of these names of its sender. */
  journaledOf(
    senders: string[],
    keyId: string,
  ): Promise<{ sender: string; plaintext: Uint8Array } | undefined>;
  /** Writes down a call, to be told; the same one again changes nothing. */
  called(call: InboundCall): Promise<void>;
  /** Keeps a vote until its poll comes. */
  keepEarlyVote(pollKeyId: string, vote: EarlyVote): Promise<void>;
  /** Reads the votes that came before a poll. */
  earlyVotes(pollKeyId: string): Promise<(EarlyVote & { plaintext: Uint8Array })[]>;
  /** Reads a message that this session sent: a contact that could not read it asks again. */
  sent(keyId: string): Promise<(OutgoingMessage & { jobId: string }) | undefined>;
}

/** An open or opening socket of one session. */
export interface PlatformSocket {
  /**
   * Encrypts a file and hands it to the platform's media host, until the signal ends it; the watchdog lets it take its time.
   * @returns the platform's message for it, with keys and place of the file: keep it, so that it is uploaded once.
   */
  upload(content: OutboundContent, file: OutgoingFile, signal: AbortSignal): Promise<Uint8Array>;
  /**
   * Names the address at which the platform reaches whom a person's address stands for: the account of a number may have another one.
   * @throws NotOnPlatformError
   * @throws NoAnswerError
   */
  addressOf(to: string): Promise<string>;
  /**
   * Names the accounts of persons by the addresses that stand for them, where those are others: as `addressOf` does, but nobody has to be on
   * the platform.
   * @throws NoAnswerError
   */
  accountsOf(addresses: string[]): Promise<Record<string, string>>;
  /**
   * Hands the message to the platform under its id, to an address that `addressOf` names; the ack comes by `onAck`.
   * @throws NotInGroupError
   */
  send(message: OutgoingMessage): Promise<void>;
  /**
   * Asks for a code that links the phone of this number when it is typed there; only a socket that shows QR codes has one.
   * @throws NoAnswerError
   * @throws DeviceNameRefusedError
   */
  requestPairingCode(phone: string): Promise<PairingCode>;
  /** Steps of a link that needs a passkey. */
  readonly passkey: PasskeySteps;
  /**
   * Looks up the address of a number; null when the platform does not know it.
   * @throws NoAnswerError
   */
  lookUp(phone: string): Promise<string | null>;
  /** Resolves when what the platform kept for the session until this connection has been taken in, or is late. */
  caughtUp(): Promise<void>;
  /** Lists all addresses from which messages of this contact may arrive. */
  addressesOf(contact: string): Promise<string[]>;
  /**
   * Marks messages as read.
   * @throws NoAnswerError
   */
  markRead(messages: ReceivedMessage[]): Promise<void>;
  /**
   * Says whether the number counts as online as long as the socket is open; before the first call it does not. While it does, the owner's
   * phone notifies nobody.
   */
  setAlwaysOnline(alwaysOnline: boolean): void;
  /** Shows a person that somebody writes, records, or stops; nobody where the number is not on the platform. The number is online meanwhile. */
  typing(to: string, state: TypingState, isWanted?: () => Promise<boolean>): Promise<void>;
  /**
   * Rejects a call that rings.
   * @throws CallNotRingingError
   */
  rejectCall(callId: string): Promise<void>;
  /** Asks for all restrictions; those that the platform does not report in time are left out. */
  restrictions(): Promise<PlatformRestriction[]>;
  /** Unlinks this device on the platform. */
  logout(): Promise<void>;
  /** Says that a send was left without an answer, or that the platform has answered one since. */
  unanswered(isSo: boolean): void;
  /** Gives up a socket that looks connected and does not work: `onClose` is called with this reason, before this returns. */
  recycle(reason: DisconnectReason): void;
  /** Closes without unlinking; `onClose` is not called any more. */
  close(): void;
}

/** Stands for the messaging network on the far side. The app's module says which one it is. */
export abstract class Platform {
  /** Revision of the client that the library is made for. */
  abstract readonly revision: number;

  /** Makes credentials of a number that is not linked yet. */
  abstract newCredentials(): Credentials;

  /** Reads what `Credentials.toBytes` wrote. */
  abstract credentialsFrom(bytes: Buffer): Credentials;

  /** Opens a socket. Everything that happens is told to the listener; nothing is thrown. */
  abstract open(
    address: PlatformAddress,
    credentials: Credentials,
    store: PlatformStore,
    listener: PlatformListener,
  ): PlatformSocket;

  /** Makes the message id of a job, always the same one: however often a job is sent, its recipient sees one message. */
  abstract keyIdOf(jobId: string): string;

  /**
   * Fetches the file of an inbound message, decrypted and checked: nothing of it may count before its last byte.
   * @throws MediaError
   */
  abstract download(plaintext: Uint8Array, limits: DownloadLimits): AsyncIterable<Uint8Array>;

  /** Names the key under which a session keeps the hidden address of a contact; undefined for one that is not hidden. */
  abstract hiddenAddressKey(contact: string): KeyName | undefined;

  /** Reads the hidden address in the value of that key. */
  abstract hiddenAddressIn(value: Buffer): string | undefined;
}
