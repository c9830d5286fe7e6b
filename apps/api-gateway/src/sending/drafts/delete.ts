import type { Draft } from './draft.js';

/** Drafts the deletion of a message that was sent before, for everybody; it has nothing to show. */
export function deleteDraft(): Draft {
  return { content: { type: 'delete' }, body: { type: 'unsupported', original: 'delete' } };
}
