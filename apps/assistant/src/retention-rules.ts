import type { RetentionRule } from '@svc/service';

/** These rules say which rows are old: turns after a month, with their messages and calls; handoffs that ended long ago; questions without an answer that nobody asks any more. */
export const RETENTION_RULES: RetentionRule[] = [
  { table: 'turn', where: `ended_at < now - interval '30 days'` },
  { table: 'knowledge_gap', where: `last_at < now - interval '90 days'` },
  { table: 'handoff', where: `until < now - interval '7 days'` },
];
