import type { MessageBody } from '@svc/contracts';
import type { InboundContent } from '../../messages.js';
import type { Fields } from '../kinds/kind.js';
import { cardsIn } from './cards.js';
import { READINGS } from './readings.js';
import type { DecodedContent } from './decoded-content.js';
import { SEALED_CHANGE } from './sealed-content.js';
import { fileReference, hasFile } from './file-reference.js';

/** The platform's name of what it shows on the phone alone, such as a one-time code. */
const WITHHELD = 'placeholderMessage';

/** Translates a content of the platform into ours. */
export function inboundContent(decoded: DecodedContent): InboundContent {
  const { type, content, viewOnce: _, sealed: _sealed, vote: _vote, quoted, ...details } = decoded;
  const contacts = cardsIn(type, content);
  const choiceId = READINGS.get(type)?.choiceId?.(fieldsOf(content));
  return {
    type,
    body: toMessageBody(decoded),
    ...(hasFile(decoded) ? { file: fileReference(decoded) ? 'FETCHABLE' : 'UNREACHABLE' } : {}),
    // One that was opened is of another type.
    ...(type === SEALED_CHANGE ? { unsupportedReason: 'UNREADABLE' as const } : {}),
    ...(type === WITHHELD ? { unsupportedReason: 'WITHHELD' as const } : {}),
    ...(choiceId ? { choiceId } : {}),
    ...(contacts ? { contacts } : {}),
    ...(quoted ? { quoted: quotedContent(quoted) } : {}),
    ...details,
  };
}

/** Turns a content of the platform into the union that tenants see (specification, "MessageBody"). */
export function toMessageBody({ type, content, viewOnce }: DecodedContent): MessageBody {
  const body = withoutUndefined(bodyOf(type, content));
  return viewOnce ? { type: 'view_once', inner: body } : body;
}

function quotedContent({
  content,
  ...fields
}: NonNullable<DecodedContent['quoted']>): NonNullable<InboundContent['quoted']> {
  return { ...fields, ...(content ? { content: inboundContent(content) } : {}) };
}

function bodyOf(type: string, content: unknown): MessageBody {
  return READINGS.get(type)?.body(fieldsOf(content), type) ?? { type: 'unsupported', original: type };
}

function fieldsOf(content: unknown): Fields {
  // The platform's message of a plain text is the text itself.
  return typeof content === 'string' ? { text: content } : ((content ?? {}) as Fields);
}

function withoutUndefined(body: MessageBody): MessageBody {
  return Object.fromEntries(
    Object.entries(body).filter(([, value]) => value !== undefined),
  ) as unknown as MessageBody;
}
