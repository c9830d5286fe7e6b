import type {
  ContactCard,
  LiveLocation,
  MessageBody,
  MessageChangeKind,
  MessageReferral,
  OfferedChoice,
  OutboundContent,
  UnsupportedReason,
} from '@svc/contracts';
import type { InboundVote } from './votes.js';

/** Content of an inbound message, in our words. */
export interface InboundContent {
  /** The platform's own name for it, for what is too long or has no kind of ours. */
  type: string;
  body: MessageBody;
  /** State of its file: it can be fetched, or cannot for want of place or key; absent where the message has none. */
  file?: 'FETCHABLE' | 'UNREACHABLE';
  /** Change that the message makes to an earlier one, or its revocation: such a message is none of its own. */
  change?: { kind: MessageChangeKind; keyId: string };
  /** The message that it answers; `author` is an address. */
  quoted?: { keyId: string; author?: string; content?: InboundContent };
  /** Addresses of people named in it. */
  mentions?: string[];
  /** One of them is the number of the session. */
  mentionsMe?: true;
  /** Reason for which the body is `unsupported` although there is a kind for it. */
  unsupportedReason?: UnsupportedReason;
  /** Id of a choice among offered ones. */
  choiceId?: string;
  /** Buttons and rows of lists that it offers. */
  choices?: OfferedChoice[];
  /** JSON text of what was filled into a form. */
  formAnswers?: string;
  /** Facts of a location of somebody on the way. */
  liveLocation?: LiveLocation;
  /** Seconds after which phones delete it. */
  disappearsAfter?: number;
  /** Contact cards of it, with all their numbers. */
  contacts?: ContactCard[];
  /** The platform's id of the album that it belongs to. */
  albumOf?: string;
  /** The advert that brought it. */
  referral?: MessageReferral;
  isForwarded?: true;
}

/** A later location of somebody who shares the way; the first one is a message. */
export interface InboundLocation {
  latitude: number;
  longitude: number;
  /** Seconds since the first one. */
  secondsOn: number;
  liveLocation: LiveLocation;
}

/** Timer of a chat, after which phones delete its messages. */
export interface ChatTimer {
  /** Seconds; 0: they stay. */
  seconds: number;
  /** Unix seconds at which it was set; 0 where nothing says it. */
  setAt: number;
}

/** Record of a message of a contact, or of the number's owner on another device, decrypted, before the platform gets its receipt. */
export interface InboundRecord {
  /** Sender as the platform names it, without device; in a group behind the group's address. */
  sender: string;
  keyId: string;
  /** Address of the chat: of the contact, or of the group. */
  chat: string;
  /** Phone address of the sender where the platform names it, else `sender`. */
  remoteJid: string;
  /** True when the message was written on the own phone, or another device of the number. */
  fromMe: boolean;
  pushName: string | null;
  /** Unix seconds of the platform. */
  sentAt: number;
  /** Plaintext as it came out of the decryption: what a redelivered message is answered with, and what its file is found by. */
  plaintext: Uint8Array;
  /** Content of the message; undefined when it is nothing for people. */
  content: InboundContent | undefined;
  /** Vote that it is, in place of a content. */
  vote?: InboundVote | undefined;
  /** Later location that it is, in place of a content. */
  location?: InboundLocation | undefined;
  /** Timer of its chat, where it names one. */
  timer?: ChatTimer | undefined;
}

/** A message of a contact as the journal names it: `sender` and `keyId` of its record. */
export type ReceivedMessage = Pick<InboundRecord, 'sender' | 'keyId'>;

/** Content of a message to send. */
export interface OutgoingContent extends OutboundContent {
  /**
   * Addresses of accounts, by the addresses that the content names; of a person whose account has none but that one, nothing. Absent until
   * they were asked for.
   */
  accounts?: Record<string, string>;
}

/** A message to send. Whenever it is built anew, by whichever process, it is the same message. */
export interface OutgoingMessage {
  /** Address of a person or a group. */
  to: string;
  /** The platform's id. */
  keyId: string;
  content: OutgoingContent;
  acceptedAt: Date;
  /** Secret by which votes on it and edits of it are sealed; null for one of an earlier release, whose secret follows from the link. */
  secret?: Uint8Array | null;
  /** Result of `upload` for a message with a file. */
  uploaded: Uint8Array | null;
}

/** A file on its way to the platform: whole, on the disk. A library ends the process over a source that breaks off. */
export interface OutgoingFile {
  path: string;
  mimeType: string;
  /** Name of the file where its sender does not give one. */
  filename?: string;
}
