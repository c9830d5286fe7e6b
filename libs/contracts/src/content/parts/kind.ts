import type { Fields } from './field.js';

/** How a message may be about an earlier one. */
export const MESSAGE_RELATIONS = ['REPLY', 'REACTION', 'EDIT', 'DELETE'] as const;
/** One of `MESSAGE_RELATIONS`. */
export type MessageRelation = (typeof MESSAGE_RELATIONS)[number];

/** What holds for a kind of content that is sent. */
export interface SendingRules {
  /** Whether it may answer a message (`replyTo`). */
  readonly canReply: boolean;
  /** Whether people may be named in it (`mentions`). */
  readonly canMention: boolean;
  /** Whether it has a file. */
  readonly hasFile: boolean;
  /** How it is about the earlier message that it always names; null: it is a message of its own. */
  readonly relation: MessageRelation | null;
}

/** How a kind of content is sent. */
export interface Sending extends SendingRules {
  /** The one field of `SendMessageRequest` that holds it. */
  readonly request: Fields;
  /** Its fields of `OutboundContent`; kinds that share one share the constant. */
  readonly wire: Fields;
}

/** How a kind of content is shown: its fields of `MessageBody`, in the order of the description. */
export interface Body {
  readonly required: Fields;
  readonly optional: Fields;
}

/** A kind of content: how it is sent, and how it is shown. */
export interface ContentKind {
  /** Null: no session sends it. */
  readonly sending: Sending | null;
  /** Null: it changes another message, and is not shown by itself. */
  readonly body: Body | null;
}

/** Checks at compile time that a kind has all its parts, and returns it with its exact type. */
export function defineContent<const K extends ContentKind>(kind: K): K {
  return kind;
}
