import {
  invalidField,
  type MessageBody,
  type MessageStatus,
  type MessageTarget,
  type RelatedMessage,
} from '@svc/contracts';
import type { Draft } from './outbound-message.js';
import type { Message } from '../messages/message.entity.js';

const NOT_SENT: readonly MessageStatus[] = ['QUEUED', 'SENDING', 'FAILED'];
/** A phone shows the first lines of what is answered. */
const QUOTED_CHARS = 1_000;

/**
 * Adds to a draft what the worker needs to know of the message it names.
 * @param chat Session and address the draft is for.
 * @throws AppError `VALIDATION_FAILED` where that message is not one of this chat, or not one to do this with.
 */
export function relate(
  { content, body, names }: Draft,
  message: Message | null,
  chat: { sessionId: string; contact: string },
): RelatedMessage | null {
  if (!names) return null;
  const { field, relation } = names;
  if (message?.sessionId !== chat.sessionId || message.contact !== chat.contact)
    throw invalidField(field, `${field} must be the id of a message in this chat`);
  const rule = brokenRule(message, relation);
  if (rule) throw invalidField(field, `${field} must be the id of ${rule}`);
  const target = targetOf(message);
  if (relation === 'REPLY') content.quoted = { ...target, body: firstLines(message.body) };
  else content.target = target;
  if (relation === 'REACTION') body.targetKeyId = target.keyId;
  return { relation, messageId: message.id };
}

function brokenRule(message: Message, relation: RelatedMessage['relation']): string | undefined {
  const { direction, status, body, keyId } = message;
  if (!keyId || NOT_SENT.includes(status)) return 'a message that was sent';
  if (!isShownByItself(message)) return 'a message that shows in the chat by itself';
  if (relation !== 'EDIT' && relation !== 'DELETE') return undefined;
  if (direction !== 'OUTBOUND') return 'a message that the session sent';
  return relation === 'EDIT' && body.type !== 'text' ? 'a text' : undefined;
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

/** Never through a character that takes two units. */
function cut(text: string): string {
  return text.slice(0, QUOTED_CHARS).replace(/[\ud800-\udbff]$/, '');
}
