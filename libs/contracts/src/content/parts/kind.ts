import type { Fields } from './field.js';

/** Relations of a message to an earlier one. */
export const MESSAGE_RELATIONS = ['REPLY', 'REACTION', 'EDIT', 'DELETE'] as const;
/** Value of `MESSAGE_RELATIONS`. */
export type MessageRelation = (typeof MESSAGE_RELATIONS)[number];

/** Rules for a kind of content that is sent. */
export interface SendingRules {
  /** A message of this kind may answer another (`replyTo`). */
  readonly canReply: boolean;
  /** A message of this kind may name people (`mentions`). */
  readonly canMention: boolean;
  /** A message of this kind has a file. */
  readonly hasFile: boolean;
  /** Relation to the earlier message that the kind always names; null: it is a message of its own. */
  readonly relation: MessageRelation | null;
}

/** Rules, request and wire of a kind of content that is sent. */
export interface Sending extends SendingRules {
  /** The one field of `SendMessageRequest` that holds it. */
  readonly request: Fields;
  /** Fields of `OutboundContent`; kinds that share one share the constant. */
  readonly wire: Fields;
}

/** Fields of `MessageBody` that show a kind of content, in the order of the description. */
export interface Body {
  readonly required: Fields;
  readonly optional: Fields;
}

/** A kind of content: how it is sent, and how it is shown. */
export interface ContentKind {
  /** Form of the kind in sends; null: no session sends it. */
  readonly sending: Sending | null;
  /** Form of the kind in `MessageBody`; null: it changes another message, and is not shown by itself. */
  readonly body: Body | null;
}

/** Checks at compile time that a kind has all its parts, and returns it with its exact type. */
export function defineContent<const K extends ContentKind>(kind: K): K {
  return kind;
}
