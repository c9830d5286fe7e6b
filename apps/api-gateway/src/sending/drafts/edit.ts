import type { SendMessageRequest } from '@svc/contracts';
import type { Draft } from './draft.js';

/** Drafts the new text of a message that was sent before. */
export function editDraft({ text }: NonNullable<SendMessageRequest['edit']>): Draft {
  return { content: { type: 'edit', text }, body: { type: 'text', text } };
}
