import type { proto } from '@whiskeysockets/baileys/WAProto/index.js';
import { parseAddress } from '@svc/contracts';
import type { ContentFields, ReceivedContent } from '../kinds/kinds.js';
import { fieldOf, formsOf, unwrapped } from './platform-message.js';

type Message = proto.IMessage;

/** Reads what a person sees of a message. */
export function describeMessage(message: Message): ReceivedContent {
  const inner = unwrapped(message);
  const field = fieldOf(inner);
  const content = readKind(inner, field) ?? { type: 'unsupported', original: field ?? 'empty' };
  return { ...content, ...contextFields(inner, field), ...(isViewOnce(message) ? { viewOnce: true } : {}) };
}

/** Asks the kinds that may be written in this field, in their order; undefined: it is none of them. */
function readKind(message: Message, field: keyof Message | undefined): ReceivedContent | undefined {
  for (const { kind, form } of formsOf(field)) {
    const fields = form.describe?.(message[field as keyof Message], describeInner);
    if (fields) return { type: kind, ...fields };
  }
  return undefined;
}

function describeInner(message: Message): object {
  const { type: _, ...fields } = describeMessage(message);
  return fields;
}

const isViewOnce = (message: Message): boolean =>
  Boolean(message.viewOnceMessage ?? message.viewOnceMessageV2 ?? message.viewOnceMessageV2Extension);

/** Reads which message it answers, whom it names, and after how long it disappears. */
function contextFields(message: Message, field: keyof Message | undefined): ContentFields {
  const content = field && (message[field] as { contextInfo?: proto.IContextInfo } | undefined);
  const { stanzaId, mentionedJid, expiration } = content?.contextInfo ?? {};
  return {
    ...(stanzaId ? { quotedKeyId: stanzaId } : {}),
    ...(mentionedJid?.length ? { mentions: mentionedJid.map((jid) => parseAddress(jid)?.user ?? jid) } : {}),
    ...(expiration ? { disappearsAfter: expiration } : {}),
  };
}
