import type {
  MediaFailure,
  MessageChangeKind,
  OutboundContent,
  RestrictionReason,
  StatusReason,
  TypingState,
} from '@svc/contracts';

/** What the platform says of one way in which it keeps a number from beginning new chats. */
export interface PlatformRestriction {
  reason: RestrictionReason;
  isActive: boolean;
  /** When it ends by itself; undefined where the platform does not say. */
  until?: Date | undefined;
}

/** The platform's refusal of a message that would begin a chat. */
export const NEW_CHAT_REFUSED = 463;

/** What a platform socket tells the session that holds it. */
export interface PlatformListener {
  /** A QR code to show; the platform takes it for `QR_LIFETIME_MS`. */
  onQr(qr: string): void;
  /** Logged in: the socket works. `phone` in digits. */
  onOpen(phone: string): void;
  /** The socket is gone; `code` as in the library's `DisconnectReason`, `reason` where more is known. Called once. */
  onClose(code: number, reason?: StatusReason): void;
  /** The credentials changed and want to be kept. */
  onCredentials(): void;
  /** The platform's server took the message (`error` undefined) or refused it. */
  onAck(keyId: string, error: number | undefined): void;
  onRestriction(told: PlatformRestriction): void;
  /**
   * A receipt of the contact's device for these messages, with the time that it names. The platform is told that it arrived when
   * this resolves.
   */
  onReceipt(keyIds: string[], kind: 'delivered' | 'read', at: Date): Promise<void>;
}

/** Decoded content of a message, as plain JSON. */
export interface PlatformContent {
  /** Name of the field of the platform's message that is set, e.g. `imageMessage`. */
  type: string;
  content: unknown;
  /** Sent as "view once". */
  viewOnce: boolean;
  /** It is no message of its own: it changes or takes back the one of this id. */
  change?: { kind: MessageChangeKind; keyId: string };
  /** The message that it answers; `author` is an address. */
  quoted?: { keyId: string; author?: string; content?: PlatformContent };
  /** Addresses of people named in it. */
  mentions?: string[];
}

/** One message of a contact, or of the number's owner on another device, decrypted, before the platform is told that it arrived. */
export interface InboundRecord {
  /** Sender as the stanza names it, without device; in a group behind the group's address. */
  sender: string;
  keyId: string;
  /** Address of the chat: of the contact, or of the group. */
  chat: string;
  /** Phone address of the sender where the platform tells it, else `sender`. */
  remoteJid: string;
  /** Written on the own phone, or another device of the number. */
  fromMe: boolean;
  pushName: string | null;
  /** Unix seconds of the platform. */
  sentAt: number;
  /** Padded plaintext as it came out of the decryption: what a redelivered stanza is answered with. */
  plaintext: Uint8Array;
  /** Undefined when it is nothing for people. */
  content: PlatformContent | undefined;
}

/** A message to send. Whenever it is built anew, by whichever process, it is the same message. */
export interface OutgoingMessage {
  /** Address of a person or a group. */
  to: string;
  /** The platform's id. */
  keyId: string;
  content: OutboundContent;
  acceptedAt: Date;
  /** Of a message with a file: what `upload` made of it. */
  uploaded: Uint8Array | null;
}

/** A file on its way to the platform: whole, on the disk. The library ends the process over a source that breaks off. */
export interface OutgoingFile {
  path: string;
  mimeType: string;
}

/** Values of the library's key store by id; null deletes. */
export type KeyValues = Record<string, unknown>;
/** A change of the key store: by type, then by id. */
export type KeyChanges = Record<string, KeyValues | undefined>;

/** Where a session's Signal keys and journal live. */
export interface PlatformStore {
  get(type: string, ids: string[]): Promise<KeyValues>;
  /** Writes keys and inbound messages in one transaction. */
  commit(changes: KeyChanges, inbound: InboundRecord[]): Promise<void>;
  /** Plaintext of a message that was journaled before. */
  journaled(sender: string, keyId: string): Promise<Uint8Array | undefined>;
  /** A message this session sent: a contact that could not read it asks again. */
  sent(keyId: string): Promise<OutgoingMessage | undefined>;
}

/** A message of a contact as the journal names it: `sender` and `keyId` of its record. */
export interface ReceivedMessage {
  sender: string;
  keyId: string;
}

/** An open or opening socket. */
export interface PlatformSocket {
  /**
   * Encrypts a file and hands it to the platform's media host; the watchdog lets it take its time.
   * @returns the platform's message for it, with keys and place of the file: keep it, so that it is uploaded once.
   */
  upload(content: OutboundContent, file: OutgoingFile): Promise<Uint8Array>;
  /**
   * Hands the message to the socket under its id; the ack comes by `onAck`.
   * @throws NotOnPlatformError
   * @throws NotInGroupError
   * @throws NoAnswerError
   */
  send(message: OutgoingMessage): Promise<void>;
  /**
   * A code that links the phone of this number when it is typed there; only a socket that shows QR codes has one.
   * @throws NoAnswerError
   */
  requestPairingCode(phone: string): Promise<string>;
  /**
   * Address of a number; null when the platform does not know it.
   * @throws NoAnswerError
   */
  lookUp(phone: string): Promise<string | null>;
  /** All addresses under which messages of this contact may have come. */
  addressesOf(contact: string): Promise<string[]>;
  /** @throws NoAnswerError */
  markRead(messages: ReceivedMessage[]): Promise<void>;
  typing(to: string, state: TypingState): Promise<void>;
  /** Asks for all restrictions; those that the platform does not tell in time are left out. */
  restrictions(): Promise<PlatformRestriction[]>;
  /** Unlinks this device on the platform. */
  logout(): Promise<void>;
  /** Gives up a socket that looks connected and does not work: `onClose` is called with this reason, at once. */
  recycle(reason: StatusReason): void;
  /** Closes without unlinking; `onClose` is not called any more. */
  close(): void;
}

/** The file of a message cannot be had; `isFinal`: later neither. */
export class MediaError extends Error {
  override readonly name = 'MediaError';

  constructor(
    readonly reason: MediaFailure,
    readonly isFinal: boolean,
    cause?: unknown,
  ) {
    super(`The file is not to be had: ${reason}.`, { cause });
  }
}

/** The platform does not know the recipient. */
export class NotOnPlatformError extends Error {
  override readonly name = 'NotOnPlatformError';

  constructor() {
    super('The recipient is not on the platform.');
  }
}

/** There is no such group, or the session does not belong to it. */
export class NotInGroupError extends Error {
  override readonly name = 'NotInGroupError';

  constructor() {
    super('The session is not in the group.');
  }
}

/** The platform was asked and did not answer. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';

  constructor() {
    super('The platform does not answer.');
  }
}

/** How long the platform takes one QR code; all of a socket make the three minutes that a look is worth. */
export const QR_LIFETIME_MS = 30_000;
/** QR codes that the platform hands out to one socket. */
export const QR_CODES = 6;
