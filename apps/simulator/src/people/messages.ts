import type { ReceivedContent } from '../kinds/kinds.js';

export const SENT_STATUSES = ['QUEUED', 'SENT', 'DELIVERED', 'READ'] as const;
export type SentStatus = (typeof SENT_STATUSES)[number];

/** A message that reached a person. */
export interface ReceivedMessage {
  id: string;
  /** Phone of the sender. */
  from: string;
  /** Address the client wrote to; receipts carry the same form. */
  address: string;
  text: string | null;
  message: unknown;
  /** Content of the message; it is missing in the state file of an older version. */
  content?: ReceivedContent;
  receivedAt: string;
  /** Number of times that the platform saw this id again. */
  duplicates: number;
  delivered: boolean;
  read: boolean;
}

/** A message that a person wrote to an account. */
export interface SentMessage {
  id: string;
  /** Phone of the account. */
  to: string;
  text: string | null;
  status: SentStatus;
  /** Number of times that it was put on the wire, on all devices together. */
  deliveries: number;
  /** Number of receipts that came back. */
  receipts: number;
  sentAt: string;
  /** Secret of it, by which votes and edits are sealed, in base64; it has none where it is a change itself. */
  secret?: string;
}

/** Moves a status forward, never back: a late receipt must not undo a read one. */
export function advance(message: SentMessage, status: SentStatus): void {
  if (SENT_STATUSES.indexOf(status) > SENT_STATUSES.indexOf(message.status)) message.status = status;
}
