import {
  CONTENT_FIELDS,
  type ContentField,
  invalidField,
  type MessageBodyType,
  type Metadata,
  type OutboundContent,
  type OutboundType,
  QUEUE_FOR_SECONDS,
  type RelatedMessage,
  type Sender,
  SENDING_RULES,
  type SendMessageRequest,
} from '@svc/contracts';
import { v5 as uuidv5, v7 as uuidv7 } from 'uuid';
import type { Message } from '../messages/message.entity.js';
import { normalizeChat, normalizeRecipient } from '../messages/recipient.js';
import { contactDraft } from './drafts/contact.js';
import { deleteDraft } from './drafts/delete.js';
import { type Draft, shows } from './drafts/draft.js';
import { editDraft } from './drafts/edit.js';
import { mediaDraft } from './drafts/media.js';
import { reactionDraft } from './drafts/reaction.js';

/** An outbound message on its way from its request to its row. It never changes: each step returns another one. */
export interface OutboundMessage extends Draft {
  readonly id: string;
  readonly tenantId: string;
  readonly sessionId: string;
  readonly contact: string;
  /** Content as the request alone said it: a repeat is compared with it. */
  readonly asked: Draft;
  readonly clientMessageId: string | null;
  readonly metadata: Metadata | null;
  readonly sentBy: Sender;
  /** Time at which the message goes out, in domain time; null: now. */
  readonly sendAt: Date | null;
  /** Longest wait for the session, in seconds; null: for as long as the worker lets it. */
  readonly queueForSeconds: number | null;
  /** The message that it names, once that was found. */
  readonly relatesTo: RelatedMessage | null;
  /** Time from which on the row must not be written any more (ISO 8601): its unit may have been given back. */
  readonly writeBefore?: string;
  /** Time of the newest message of its chat that an answer knows of. */
  readonly knownAt?: Date;
}

/** Fixed for ever: the job ids of all tenants' `clientMessageId`s follow from it. */
const JOB_NAMESPACE = '5b7c1b0e-2f0f-5f43-9d0e-8a3c6a1f4d27';

/**
 * Makes an outbound message of a request, as far as the request alone can tell.
 * @throws AppError `VALIDATION_FAILED` that names the field.
 */
export function outboundMessageOf(tenantId: string, request: SendMessageRequest): OutboundMessage {
  const contact = normalizeChat(request.to);
  const draft = completeDraftOf(request);
  const { clientMessageId = null, metadata = null, sendAt } = request;
  return {
    ...draft,
    asked: draft,
    id: jobIdOf(tenantId, clientMessageId),
    ...{ tenantId, sessionId: request.sessionId.toLowerCase(), contact, clientMessageId, metadata },
    sentBy: 'API',
    sendAt: sendAt ? new Date(sendAt) : null,
    queueForSeconds: queueTimeOf(request),
    relatesTo: null,
  };
}

/** Picks the part of the content that the row stores; null where the body says it all. */
export function storedContentOf({ content }: OutboundMessage): OutboundContent | null {
  const { type, quoted, mentions } = content;
  return type === 'text' && !quoted && !mentions ? null : content;
}

/** Reads the whole content of a row. */
export function contentOf({ content, body }: Pick<Message, 'content' | 'body'>): OutboundContent {
  return content ?? { type: 'text', text: body.text ?? '' };
}

function completeDraftOf(request: SendMessageRequest): Draft {
  const field = contentFieldOf(request);
  const draft = draftOf(field, request);
  const { canReply, canMention } = SENDING_RULES[field];
  const { replyTo, mentions } = request;
  if (replyTo && !canReply) throw notWith('replyTo', field);
  if (mentions?.length && !canMention) throw notWith('mentions', field);
  return {
    ...draft,
    ...(replyTo && { names: { messageId: replyTo, relation: 'REPLY', field: 'replyTo' } }),
    ...(mentions?.length && {
      content: {
        ...draft.content,
        mentions: mentions.map((person) => normalizeRecipient(person, 'mentions')),
      },
    }),
  };
}

function contentFieldOf(request: SendMessageRequest): ContentField {
  const [first, second] = CONTENT_FIELDS.filter((field) => (request[field] ?? null) !== null);
  if (!first) throw invalidField('text', `exactly one of ${CONTENT_FIELDS.join(', ')} must be given`);
  if (second) throw notWith(second, first);
  return first;
}

function notWith(field: string, other: string): Error {
  return invalidField(field, `${field} must not be given together with ${other}`);
}

function queueTimeOf({ onDisconnected, queueForSeconds }: SendMessageRequest): number | null {
  if (onDisconnected === 'queue') return queueForSeconds ?? QUEUE_FOR_SECONDS;
  if ((queueForSeconds ?? null) === null) return null;
  const field = 'queueForSeconds';
  throw invalidField(field, `${field} must be given with onDisconnected queue only`);
}

/** Makes the id, which follows from the `clientMessageId` where there is one, so that a retry after a crash reserves nothing again. */
function jobIdOf(tenantId: string, clientMessageId: string | null): string {
  return clientMessageId === null ? uuidv7() : uuidv5(`${tenantId}:${clientMessageId}`, JOB_NAMESPACE);
}

type ValueOf<Field extends ContentField> = NonNullable<SendMessageRequest[Field]>;
type Rule<Field extends ContentField> = (value: ValueOf<Field>) => Draft;

/** The field of a kind that the worker takes as the request has it, and that shows fields of it. */
type PlainField = { [Field in ContentField]: IsPlain<Field> extends true ? Field : never }[ContentField];
type IsPlain<Field extends ContentField> = Field extends OutboundType &
  MessageBodyType &
  keyof OutboundContent
  ? ValueOf<Field> extends OutboundContent[Field]
    ? true
    : false
  : false;

/** The rules of kinds of content that the gateway has a say in; the field of another kind is its draft as it is. */
const RULES: { [Field in Exclude<ContentField, PlainField>]: Rule<Field> } & {
  [Field in PlainField]?: Rule<Field>;
} = {
  media: mediaDraft,
  contact: contactDraft,
  reaction: reactionDraft,
  edit: editDraft,
  delete: deleteDraft,
};

/**
 * Drafts the content that stands in a field of a request.
 * @throws AppError `VALIDATION_FAILED` that names the field.
 */
export function draftOf(field: ContentField, request: SendMessageRequest): Draft {
  const value = request[field] as string | object;
  const rule = RULES[field] as ((value: unknown) => Draft) | undefined;
  const draft = rule ? rule(value) : plainDraft(field as PlainField, value);
  const { relation } = SENDING_RULES[field];
  if (!relation) return draft;
  const { messageId } = value as { messageId: string };
  return { ...draft, names: { messageId, relation, field: `${field}.messageId` } };
}

function plainDraft(type: PlainField, value: string | object): Draft {
  const fields = typeof value === 'string' ? { [type]: value } : value;
  return {
    content: { type, [type]: value },
    body: {
      type,
      ...Object.fromEntries(Object.entries(fields).filter(([name]) => shows(type, name))),
    },
  };
}
