import type { Stanza } from './nodes.js';

/** Ways in which a frame cannot be read. */
export const RUBBISH_KINDS = ['undecryptable', 'undecodable'] as const;
export type RubbishKind = (typeof RUBBISH_KINDS)[number];

/** The connection of a linked device, as whoever has something for the device sees it. */
export interface ClientConnection {
  readonly open: boolean;
  /** Sends a stanza; false: it did not go out. */
  send(node: Stanza): boolean;
  /** Sends a frame that the client cannot read: not decrypt, or decrypted no stanza. */
  sendRubbish(kind: RubbishKind): boolean;
  /** Says why, then closes in an orderly way. */
  end(reason?: Stanza): void;
  /** Cuts the TCP connection without a word. */
  drop(): void;
}
