import { invalidField, type SendMessageRequest } from '@svc/contracts';
import type { Draft } from './draft.js';

/**
 * Drafts a reaction to a message.
 * @throws AppError `VALIDATION_FAILED` where it is not one emoji, or empty.
 */
export function reactionDraft({ emoji }: NonNullable<SendMessageRequest['reaction']>): Draft {
  if (!isEmoji(emoji)) throw invalidField('reaction.emoji', 'reaction.emoji must be one emoji, or empty');
  return { content: { type: 'reaction', emoji }, body: { type: 'reaction', emoji } };
}

/** Says whether a reader sees the text as one sign, and some part of it is a picture, a flag or a key. */
function isEmoji(text: string): boolean {
  if (text === '') return true;
  const signs = [...new Intl.Segmenter().segment(text)].length;
  return signs === 1 && /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20e3/u.test(text);
}
