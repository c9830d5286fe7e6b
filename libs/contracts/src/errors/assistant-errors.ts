import { entry, type ErrorEntry } from './error-entry.js';

/** Conflicts of the assistant. */
export const ASSISTANT_ERRORS = {
  ASSISTANT_CONFLICT: entry(
    409,
    false,
    'info',
    'The settings of this assistant have changed meanwhile.',
    'Read them again with GET /v1/sessions/:id/assistant, and apply the change to what they are now.',
  ),
  DRAFT_CONFLICT: entry(
    409,
    false,
    'info',
    'The draft does not wait any more.',
    'Read the message, which says why: GET /v1/drafts lists those that wait, and the conversation what was said meanwhile.',
  ),
} as const satisfies Record<string, ErrorEntry>;
