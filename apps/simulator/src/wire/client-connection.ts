import type { Stanza } from './nodes.js';

/** Ways in which a frame cannot be read. */
export const RUBBISH_KINDS = ['undecryptable', 'undecodable'] as const;
export type RubbishKind = (typeof RUBBISH_KINDS)[number];

/** Connection of a linked device, for the parts that send to the device. */
export interface ClientConnection {
  readonly open: boolean;
  /** Sends a stanza; false: it did not go out. */
  send(node: Stanza): boolean;
  /** Sends a frame that the client cannot read: not decrypt, or decrypted no stanza. */
  sendRubbish(kind: RubbishKind): boolean;
  /** Says why, then closes in an orderly way. */
  end(reason?: Stanza): void;
  /** Cuts the TCP connection without a farewell. */
  drop(): void;
}
