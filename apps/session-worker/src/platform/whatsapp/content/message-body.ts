import type { MessageBody, UnsupportedReason } from '@svc/contracts';
import type { InboundContent } from '../../messages.js';
import type { Fields } from '../kinds/kind.js';
import { cardsIn } from './cards.js';
import { choicesIn, formAnswersIn } from './choices.js';
import { READINGS } from './readings.js';
import type { DecodedContent } from './decoded-content.js';
import { SEALED_CHANGE } from './sealed-content.js';
import { fileReference, hasFile } from './file-reference.js';
import { liveLocationIn } from './live-location.js';
import { isMasked } from './words.js';

/** The platform's name of what it shows on the phone alone, such as a one-time code. */
const WITHHELD = 'placeholderMessage';

/** Translates a content of the platform into ours. */
export function inboundContent(decoded: DecodedContent): InboundContent {
  const { type, content, quoted, timer } = decoded;
  const { mentions, mentionsMe, change, referral, isForwarded, albumOf } = decoded;
  const body = toMessageBody(decoded);
  return {
    ...{ type, body },
    ...(hasFile(decoded) ? { file: fileReference(decoded) ? 'FETCHABLE' : 'UNREACHABLE' } : {}),
    ...withoutUndefined({
      unsupportedReason: reasonOf(decoded, body),
      choiceId: READINGS.get(type)?.choiceId?.(fieldsOf(content)),
      choices: choicesIn(type, content),
      formAnswers: formAnswersIn(type, content),
      liveLocation: liveLocationIn(type, content),
      contacts: cardsIn(type, content),
      disappearsAfter: timer?.seconds,
      ...{ quoted: quoted && quotedContent(quoted), mentions, mentionsMe },
      ...{ change, referral, isForwarded, albumOf },
    }),
  };
}

/** Says why a content is told without its words, though there is a kind for it; undefined: it is not. */
function reasonOf({ type, content }: DecodedContent, body: MessageBody): UnsupportedReason | undefined {
  if (type === WITHHELD) return 'WITHHELD';
  if (body.type !== 'unsupported') return undefined;
  // One that was opened is of another type.
  if (type === SEALED_CHANGE) return 'UNREADABLE';
  return isMasked(fieldsOf(content)) ? 'WITHHELD' : undefined;
}

/** Turns a content of the platform into the union that tenants see (specification, "MessageBody"). */
export function toMessageBody({ type, content, viewOnce }: DecodedContent): MessageBody {
  const body = withoutUndefined(bodyOf(type, content)) as MessageBody;
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

/** Fields of an object, of which some may be known. */
type Known<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function withoutUndefined<T extends object>(fields: T): Known<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Known<T>;
}
