import {
  CONTENT_FIELDS,
  type ContentField,
  invalidField,
  type MessageBody,
  type MessageRelation,
  type OutboundContent,
  type SendMessageRequest,
} from '@svc/contracts';
import { mediaDraft } from './drafts/media.js';
import { normalizeRecipient } from '../messages/recipient.js';

/** What a request asks to send, before the message it names is looked up. */
export interface Draft {
  /** For the worker. */
  content: OutboundContent;
  /** For readers of the conversation. */
  body: MessageBody;
  /** The message it names, and the field that does so. */
  names?: { messageId: string; relation: MessageRelation; field: string };
  /** The file, where it came with the request. */
  file?: Buffer;
}

type Drafts = { [Field in ContentField]: (value: NonNullable<SendMessageRequest[Field]>) => Draft };

const DRAFTS: Drafts = {
  text: (text) => ({ content: { type: 'text', text }, body: { type: 'text', text } }),
  media: mediaDraft,
  location: (location) => ({
    content: { type: 'location', location },
    body: { type: 'location', ...location },
  }),
  contact: ({ displayName, phone }) => ({
    content: { type: 'contact', contact: { displayName, phone: phoneOf(phone, 'contact.phone') } },
    body: { type: 'contact', displayName, count: 1 },
  }),
  poll: (poll) => ({
    content: { type: 'poll', poll },
    body: { type: 'poll', name: poll.name, options: poll.options },
  }),
  reaction: ({ messageId, emoji }) => {
    if (!isEmoji(emoji)) throw invalidField('reaction.emoji', 'reaction.emoji must be one emoji, or empty');
    const names = { messageId, relation: 'REACTION' as const, field: 'reaction.messageId' };
    return { content: { type: 'reaction', emoji }, body: { type: 'reaction', emoji }, names };
  },
  edit: ({ messageId, text }) => ({
    content: { type: 'edit', text },
    body: { type: 'text', text },
    names: { messageId, relation: 'EDIT', field: 'edit.messageId' },
  }),
  delete: ({ messageId }) => ({
    content: { type: 'delete' },
    body: { type: 'unsupported', original: 'delete' },
    names: { messageId, relation: 'DELETE', field: 'delete.messageId' },
  }),
};

/** Content that can answer a message; the others name one in another way. */
const ANSWERS: readonly ContentField[] = ['text', 'media', 'location', 'contact', 'poll'];
const WITH_MENTIONS: readonly ContentField[] = ['text', 'edit'];

/**
 * The one content of a request, and what goes along with it.
 * @throws AppError `VALIDATION_FAILED` that names the field.
 */
export function draftOf(request: SendMessageRequest): Draft {
  const field = contentField(request);
  const draft = (DRAFTS[field] as (value: unknown) => Draft)(request[field]);
  const { replyTo, mentions } = request;
  if (replyTo) {
    if (!ANSWERS.includes(field)) throw notWith('replyTo', field);
    draft.names = { messageId: replyTo, relation: 'REPLY', field: 'replyTo' };
  }
  if (mentions?.length) {
    if (!WITH_MENTIONS.includes(field)) throw notWith('mentions', field);
    draft.content.mentions = mentions.map((person) => normalizeRecipient(person, 'mentions'));
  }
  return draft;
}

function contentField(request: SendMessageRequest): ContentField {
  const [first, second] = CONTENT_FIELDS.filter((field) => (request[field] ?? null) !== null);
  if (!first) throw invalidField('text', `exactly one of ${CONTENT_FIELDS.join(', ')} must be given`);
  if (second) throw notWith(second, first);
  return first;
}

function notWith(field: string, other: string): Error {
  return invalidField(field, `${field} must not be given together with ${other}`);
}

function phoneOf(phone: string, field: string): string {
  const [, digits] = /^(\d+)@s\./.exec(normalizeRecipient(phone, field)) ?? [];
  if (!digits) throw invalidField(field, `${field} must be a phone number with its country code`);
  return `+${digits}`;
}

/** What a reader sees as one sign, and some part of it a picture, a flag or a key. */
function isEmoji(text: string): boolean {
  if (text === '') return true;
  const signs = [...new Intl.Segmenter().segment(text)].length;
  return signs === 1 && /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20e3/u.test(text);
}
