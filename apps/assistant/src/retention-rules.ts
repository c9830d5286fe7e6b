import { ERASED_CONTACTS_RULE, type RetentionRule } from '@svc/service';

/** These rules say which rows are old: turns after a month, with their messages and calls; handoffs that ended long ago; texts of phones of a month ago; drafts, and calls on which a person decides, whose day is over; names of
 * conversations of a month ago; questions without an answer that nobody asks any more; erased contacts of whom nothing is on its way any more. */
export const RETENTION_RULES: RetentionRule[] = [
  { table: 'turn', where: `ended_at < now - interval '30 days'` },
  { table: 'draft', where: 'expires_at < now' },
  { table: 'approval', where: 'expires_at < now' },
  { table: 'brain_conversation', where: `used_at < now - interval '30 days'` },
  { table: 'knowledge_gap', where: `last_at < now - interval '90 days'` },
  { table: 'phone_text', where: `sent_at < now - interval '30 days'` },
  { table: 'handoff', where: `until < now - interval '7 days'` },
  ERASED_CONTACTS_RULE,
];
