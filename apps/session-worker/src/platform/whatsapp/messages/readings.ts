import type { MessageBody } from '@svc/contracts';
import { type Fields, type IncomingField, text } from '../kinds/kind.js';
import { INCOMING } from '../kinds/kinds.js';

const MOST_ID_CHARS = 1_000;

/**
 * Readers of messages of businesses, of choices among their offers, and of invitations: each has a structure of its own, and words that a
 * person reads. The words become a text; a message without any becomes an event without content.
 */
const WORDED: Record<string, IncomingField> = {
  buttonsMessage: wordsReading(({ text, contentText, footerText }) => [text, contentText, footerText]),
  listMessage: wordsReading(({ title, description, footerText }) => [title, description, footerText]),
  interactiveMessage: wordsReading(interactiveWords),
  templateMessage: wordsReading(templateWords),
  highlyStructuredMessage: wordsReading(({ hydratedHsm }) => templateWords(fields(hydratedHsm))),
  orderMessage: wordsReading(({ orderTitle, message }) => [orderTitle, message]),
  productMessage: wordsReading(({ product, body, footer }) => {
    const { title, description } = fields(product);
    return [title, description, body, footer];
  }),
  groupInviteMessage: wordsReading(({ caption }) => [caption]),
  eventMessage: wordsReading(({ name, description }) => [name, description]),
  buttonsResponseMessage: choiceReading(({ selectedDisplayText, selectedButtonId }) => [
    selectedDisplayText,
    selectedButtonId,
  ]),
  templateButtonReplyMessage: choiceReading(({ selectedDisplayText, selectedId }) => [
    selectedDisplayText,
    selectedId,
  ]),
  listResponseMessage: choiceReading(({ title, singleSelectReply }) => [
    title,
    fields(singleSelectReply)['selectedRowId'],
  ]),
  interactiveResponseMessage: choiceReading(({ body, nativeFlowResponseMessage }) => [
    fields(body)['text'],
    idIn(fields(nativeFlowResponseMessage)['paramsJson']),
  ]),
};

/** Readers of all names that the platform has for a message; a kind of ours goes before words alone. */
export const READINGS: ReadonlyMap<string, IncomingField> = new Map([...Object.entries(WORDED), ...INCOMING]);

/** Names of what the own devices and the platform exchange about a chat: no message of a person. */
export const TECHNICAL: ReadonlySet<string> = new Set([
  'pinInChatMessage',
  'keepInChatMessage',
  'albumMessage',
  'stickerSyncRmrMessage',
]);

function wordsReading(wordsOf: (content: Fields) => unknown[]): IncomingField {
  return { body: (content, original) => bodyOf(wordsOf(content).map(text), original) };
}

function choiceReading(read: (content: Fields) => [words: unknown, id: unknown]): IncomingField {
  return {
    body: (content, original) => {
      const [words, id] = read(content).map(text);
      return bodyOf([words ?? id], original);
    },
    choiceId: (content) => text(read(content)[1])?.slice(0, MOST_ID_CHARS),
  };
}

function bodyOf(words: (string | undefined)[], original: string): MessageBody {
  const lines = words.filter((line) => line !== undefined);
  return lines.length > 0 ? { type: 'text', text: lines.join('\n') } : { type: 'unsupported', original };
}

function interactiveWords({ header, body, footer }: Fields): unknown[] {
  const { title, subtitle } = fields(header);
  return [title, subtitle, fields(body)['text'], fields(footer)['text']];
}

function templateWords(template: Fields): unknown[] {
  const { hydratedTemplate, hydratedFourRowTemplate, interactiveMessageTemplate } = template;
  if (interactiveMessageTemplate) return interactiveWords(fields(interactiveMessageTemplate));
  const hydrated = fields(hydratedTemplate ?? hydratedFourRowTemplate);
  return [hydrated['hydratedTitleText'], hydrated['hydratedContentText'], hydrated['hydratedFooterText']];
}

/** Reads the id of a choice in the JSON that a client makes of it. */
function idIn(json: unknown): unknown {
  try {
    return fields(JSON.parse(text(json) ?? '{}'))['id'];
  } catch {
    return undefined;
  }
}

function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}
