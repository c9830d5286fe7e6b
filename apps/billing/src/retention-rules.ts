import type { RetentionRule } from '@svc/service';

/** These rules say which rows are old: a call once it is on the invoices of a year, a webhook once no repeat of it can come. */
export const RETENTION_RULES: RetentionRule[] = [
  { table: 'usage_event', where: `recorded_at < now - interval '400 days'` },
  { table: 'usage_day', where: 'day < today - 400' },
  { table: 'provider_event', where: `done_at IS NOT NULL AND received_at < now - interval '90 days'` },
];
