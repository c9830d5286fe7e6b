import {
  invalidField,
  type MessageBody,
  type MessageStatus,
  type MessageTarget,
  type RelatedMessage,
} from '@svc/contracts';
import type { Message } from '../messages/message.entity.js';
import { shows } from './drafts/draft.js';
import type { OutboundMessage } from './outbound-message.js';

const NOT_SENT: readonly MessageStatus[] = ['QUEUED', 'FAILED'];
/** A phone shows the first lines of what is answered. */
const QUOTED_CHARS = 1_000;

/**
 * Adds to an outbound message what the worker needs to know of the message it names.
 * @param named that message, where there is one of this id.
 * @param isDeleted whether it was deleted, or is about to be.
 * @throws AppError `VALIDATION_FAILED` where it is not one of this chat, or not one to do this with.
 */
export function withRelated(
  message: OutboundMessage,
  named: Message | null,
  isDeleted = false,
): OutboundMessage {
  const { content, body, names } = message;
  if (!names) return message;
  const { field, relation } = names;
  if (named?.sessionId !== message.sessionId || named.contact !== message.contact)
    throw invalidField(field, `${field} must be the id of a message in this chat`);
  const rule = brokenRule(named, relation, isDeleted);
  if (rule) throw invalidField(field, `${field} must be the id of ${rule}`);
  const target = targetOf(named);
  const isReply = relation === 'REPLY';
  return {
    ...message,
    content: {
      ...content,
      ...(isReply ? { quoted: { ...target, body: firstLines(named.body) } } : { target }),
    },
    body: shows(body.type, 'targetKeyId') ? { ...body, targetKeyId: target.keyId } : body,
    relatesTo: { relation, messageId: named.id },
  };
}

function brokenRule(
  message: Message,
  relation: RelatedMessage['relation'],
  isDeleted: boolean,
): string | undefined {
  const { direction, status, body, keyId } = message;
  if (!keyId || NOT_SENT.includes(status)) return 'a message that was sent';
  if (!isShownByItself(message)) return 'a message that shows in the chat by itself';
  if (!changes(relation)) return undefined;
  if (isDeleted) return 'a message that was not deleted';
  if (direction !== 'OUTBOUND') return 'a message that the session sent';
  return relation === 'EDIT' && body.type !== 'text' ? 'a text' : undefined;
}

/** Says whether a message of this relation changes the one that it names. */
export function changes(relation: RelatedMessage['relation']): boolean {
  return relation === 'EDIT' || relation === 'DELETE';
}

function isShownByItself({ body, relatesTo, origin }: Message): boolean {
  return (
    body.type !== 'reaction' && !origin?.change && (relatesTo === null || relatesTo.relation === 'REPLY')
  );
}

function targetOf({ keyId, direction, contact, origin }: Message): MessageTarget {
  const fromMe = direction === 'OUTBOUND';
  const author = fromMe || contact === origin?.sender ? undefined : origin?.sender;
  return {
    ...{ keyId: keyId as string, fromMe },
    ...(author ? { participant: author } : {}),
  };
}

function firstLines({ ...body }: MessageBody): MessageBody {
  if (body.text) body.text = cut(body.text);
  if (body.caption) body.caption = cut(body.caption);
  return body;
}

/** Cuts a text, never through a character that takes two units. */
function cut(text: string): string {
  return text.slice(0, QUOTED_CHARS).replace(/[\ud800-\udbff]$/, '');
}
