import {
  type ContentField,
  MESSAGE_BODY_FIELDS,
  type MessageBodyType,
  type OutboundContent,
  type OutboundType,
  SENDING_RULES,
  type SendMessageRequest,
} from '@svc/contracts';
import { contactDraft } from './contact.js';
import type { Draft } from './draft.js';
import { mediaDraft } from './media.js';
import { reactionDraft } from './reaction.js';

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
  edit: ({ text }) => ({ content: { type: 'edit', text }, body: { type: 'text', text } }),
  delete: () => ({ content: { type: 'delete' }, body: { type: 'unsupported', original: 'delete' } }),
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
  const { required, optional } = MESSAGE_BODY_FIELDS[type];
  const shown = new Set<string>([...required, ...optional]);
  const fields = typeof value === 'string' ? { [type]: value } : value;
  return {
    content: { type, [type]: value },
    body: { type, ...Object.fromEntries(Object.entries(fields).filter(([name]) => shown.has(name))) },
  };
}
