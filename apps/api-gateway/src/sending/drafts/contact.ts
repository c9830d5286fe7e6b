import { digitsOf, invalidField, type SendMessageRequest } from '@svc/contracts';
import { normalizeRecipient } from '../../messages/recipient.js';
import type { Draft } from './draft.js';

const FIELD = 'contact.phone';

/**
 * Drafts a contact card. Its phone is one that the platform can link to.
 * @throws AppError `VALIDATION_FAILED` where the phone is none.
 */
export function contactDraft({ displayName, phone }: NonNullable<SendMessageRequest['contact']>): Draft {
  const digits = digitsOf(normalizeRecipient(phone, FIELD));
  if (!digits) throw invalidField(FIELD, `${FIELD} must be a phone number with its country code`);
  return {
    content: { type: 'contact', contact: { displayName, phone: `+${digits}` } },
    body: { type: 'contact', displayName, count: 1 },
  };
}
