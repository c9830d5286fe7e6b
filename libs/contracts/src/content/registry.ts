import { type Fields, type PropertiesOf, sharedFields } from './parts/field.js';
import type { ContentKind, SendingRules } from './parts/kind.js';
import { contact } from './kinds/contact.js';
import { deletion } from './kinds/deletion.js';
import { edit } from './kinds/edit.js';
import { unsupported, viewOnce } from './kinds/incoming.js';
import { location } from './kinds/location.js';
import { media } from './kinds/media.js';
import { poll } from './kinds/poll.js';
import { reaction } from './kinds/reaction.js';
import { text } from './kinds/text.js';

/**
 * Kinds of content by their `type`, in the order in which they are described. The lists and classes of content follow from it: a kind is
 * added in a file of `kinds/` and here.
 */
export const CONTENT = {
  text,
  ...media,
  location,
  contact,
  poll,
  reaction,
  edit,
  delete: deletion,
  view_once: viewOnce,
  unsupported,
} as const;

type Kinds = typeof CONTENT;
type TypesWith<Part extends keyof ContentKind> = {
  [Type in keyof Kinds]: Kinds[Type][Part] extends null ? never : Type;
}[keyof Kinds];

/** A kind of content that a session sends. */
export type OutboundType = TypesWith<'sending'>;
/** A kind of `MessageBody`. */
export type MessageBodyType = TypesWith<'body'>;
type Outbound = Kinds[OutboundType]['sending'];

/** Fields of a request to send that hold its content. */
export type RequestProperties = PropertiesOf<Outbound['request']>;
/** Fields of a command to send that hold its content. */
export type WireProperties = PropertiesOf<Outbound['wire']>;
/** Fields of a message that show its content. */
export type BodyProperties = PropertiesOf<
  Kinds[MessageBodyType]['body']['required'] | Kinds[MessageBodyType]['body']['optional']
>;
/** A field of `SendMessageRequest` that says what is sent: each request has exactly one. */
export type ContentField = keyof RequestProperties;
type BodyField = keyof BodyProperties;

const kinds = Object.entries(CONTENT) as [keyof Kinds, ContentKind][];
const outbound = kinds.flatMap(([type, { sending }]) =>
  sending ? [{ type: type as OutboundType, sending }] : [],
);
const shown = kinds.flatMap(([type, { body }]) => (body ? [{ type: type as MessageBodyType, body }] : []));

/** Kinds of content that a session sends. */
export const OUTBOUND_TYPES: readonly OutboundType[] = outbound.map(({ type }) => type);
/** Kinds of `MessageBody` (specification, "MessageBody"). */
export const MESSAGE_BODY_TYPES: readonly MessageBodyType[] = shown.map(({ type }) => type);

/** Fields of requests to send that hold content. */
export const REQUEST_FIELDS = sharedFields(outbound.map(({ type, sending }) => [type, sending.request]));
/** Fields of commands to send that hold content. */
export const WIRE_FIELDS = sharedFields(outbound.map(({ type, sending }) => [type, sending.wire]));
/** Fields of bodies. */
export const BODY_FIELDS = sharedFields(
  shown.map(({ type, body }) => [type, { ...body.required, ...body.optional }]),
);

/** Fields of `SendMessageRequest` that say what is sent: each request has exactly one. */
export const CONTENT_FIELDS = REQUEST_FIELDS.map(({ name }) => name as ContentField);

/** Rules for the content in a field of `SendMessageRequest`; kinds that share a field share its rules. */
export const SENDING_RULES = tableOf<ContentField, SendingRules>(
  outbound.flatMap(({ sending }) =>
    Object.keys(sending.request).map((name) => [name as ContentField, sending] as const),
  ),
);

/** Fields of each kind of `MessageBody` besides `type`: the table of the specification. */
export const MESSAGE_BODY_FIELDS = tableOf<MessageBodyType, { required: BodyField[]; optional: BodyField[] }>(
  shown.map(({ type, body }) => [
    type,
    { required: namesOf(body.required), optional: namesOf(body.optional) },
  ]),
);

function namesOf(fields: Fields): BodyField[] {
  return Object.keys(fields) as BodyField[];
}

function tableOf<Key extends string, Value>(
  entries: (readonly [Key, Value])[],
): Readonly<Record<Key, Value>> {
  return Object.fromEntries(entries) as Record<string, Value> as Record<Key, Value>;
}
