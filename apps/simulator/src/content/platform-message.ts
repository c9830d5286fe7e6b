import { proto } from '@whiskeysockets/baileys/WAProto/index.js';
import type { Form, Kind, StanzaTypes } from '../kinds/parts/kind.js';
import { KIND_RULES, KINDS } from '../kinds/kinds.js';

/** Form of a kind whose messages may stand in several fields of the platform's message. */
interface KindForm {
  kind: Kind;
  form: Form<unknown, object>;
}

const FORMS = new Map<string, KindForm[]>();
for (const kind of KINDS) {
  for (const [field, form] of Object.entries(KIND_RULES[kind].forms)) {
    FORMS.set(field, [...(FORMS.get(field) ?? []), { kind, form: form as Form<unknown, object> }]);
  }
}

/** Finds the kinds that are written in a field, in their order. */
export const formsOf = (field: string | undefined): KindForm[] => FORMS.get(field ?? '') ?? [];

/** Reads the text of a message, wherever its kind has it. */
export function textOfMessage(message: proto.IMessage): string | null {
  const inner = unwrapped(message);
  const field = fieldOf(inner);
  for (const { form } of formsOf(field)) {
    const words = field && form.words?.(inner[field]);
    if (words !== undefined && words !== null) return words;
  }
  return null;
}

const WRAPPERS = [
  'ephemeralMessage',
  'viewOnceMessage',
  'viewOnceMessageV2',
  'viewOnceMessageV2Extension',
  'documentWithCaptionMessage',
] as const;

/** Takes a message out of the envelopes that say that it vanishes, may be seen once, or has a caption. */
export function unwrapped(message: proto.IMessage): proto.IMessage {
  const inner = WRAPPERS.map((wrapper) => message[wrapper]?.message).find((each) => each);
  return inner ? unwrapped(inner) : message;
}

/** Writes a decoded message as plain JSON, bytes as base64. */
export const toJson = (message: proto.IMessage): unknown => proto.Message.fromObject(message).toJSON();

/** Names the field that fills a message; a field that only accompanies it does not count. */
export const fieldOf = (message: proto.IMessage): keyof proto.IMessage | undefined =>
  (Object.keys(message) as (keyof proto.IMessage)[]).find(
    (name) => !/^(messageContextInfo|senderKeyDistributionMessage)$/.test(name) && message[name] != null,
  );

/** Says how the stanza around a message announces it; as text where its kind does not say. */
export function stanzaTypes(message: proto.IMessage): StanzaTypes {
  const inner = unwrapped(message);
  const field = fieldOf(inner);
  for (const { form } of formsOf(field)) {
    const types = field && form.stanza?.(inner[field]);
    if (types) return types;
  }
  return { type: 'text' };
}
