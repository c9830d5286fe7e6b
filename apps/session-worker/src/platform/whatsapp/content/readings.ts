import type { MessageBody } from '@svc/contracts';
import { type Fields, type IncomingField, text } from '../kinds/kind.js';
import { INCOMING } from '../kinds/kinds.js';
import {
  fields,
  interactiveWords,
  invitationWords,
  list,
  noteWords,
  outcomeWords,
  parsed,
  patternWords,
  sectionWords,
  templateWords,
} from './words.js';

const MOST_ID_CHARS = 1_000;

/**
 * Readers of messages of businesses, of choices among their offers, and of invitations: each has a structure of its own, and words that a
 * person reads. The words become a text; a message without any becomes an event without content.
 */
const WORDED: Record<string, IncomingField> = {
  buttonsMessage: wordsReading(({ text, contentText, footerText, buttons }) => [
    ...[text, contentText, footerText],
    ...list(buttons).map(({ buttonText }) => fields(buttonText)['displayText']),
  ]),
  listMessage: wordsReading(({ title, description, sections, productListInfo, footerText, buttonText }) => [
    ...[title, description],
    ...sectionWords(sections),
    ...list(fields(productListInfo)['productSections']).map((section) => section['title']),
    ...[footerText, buttonText],
  ]),
  interactiveMessage: wordsReading(interactiveWords),
  templateMessage: wordsReading(templateWords),
  highlyStructuredMessage: wordsReading(patternWords),
  orderMessage: wordsReading(({ orderTitle, message }) => [orderTitle, message]),
  productMessage: wordsReading(({ product, body, footer }) => {
    const { title, description } = fields(product);
    return [title, description, body, footer];
  }),
  groupInviteMessage: wordsReading(({ groupName, caption }) => [groupName, caption]),
  requestPaymentMessage: wordsReading(noteWords),
  sendPaymentMessage: wordsReading(noteWords),
  scheduledCallCreationMessage: wordsReading(({ title }) => [title]),
  pollResultSnapshotMessage: wordsReading(outcomeWords),
  pollResultSnapshotMessageV3: wordsReading(outcomeWords),
  eventMessage: wordsReading(({ name, description, location, joinLink }) => {
    const place = fields(location);
    return [name, description, place['name'], place['address'], joinLink];
  }),
  bcallMessage: wordsReading(({ caption }) => [caption]),
  stickerPackMessage: wordsReading(({ name, publisher, packDescription, caption }) => [
    ...[name, publisher, packDescription, caption],
  ]),
  invoiceMessage: wordsReading(({ note }) => [note]),
  newsletterAdminInviteMessage: wordsReading(invitationWords),
  newsletterFollowerInviteMessageV2: wordsReading(invitationWords),
  richResponseMessage: wordsReading(({ submessages }) =>
    list(submessages).map(({ messageText }) => messageText),
  ),
  statusQuotedMessage: wordsReading(({ text: said }) => [said]),
  questionResponseMessage: wordsReading(({ text: said }) => [said]),
  statusQuestionAnswerMessage: wordsReading(({ text: said }) => [said]),
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
    parsed(fields(nativeFlowResponseMessage)['paramsJson'])['id'],
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
  'fastRatchetKeySenderKeyDistributionMessage',
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
