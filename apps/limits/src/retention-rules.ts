import { type RetentionRule, ruleOfMovedClocks } from '@svc/service';

/**
 * These rules say which rows are old: a reservation once no repeat of its send can come and its month is over, and a call of a model
 * likewise; health beyond the window that numbers are judged by, counters and numbers that ended after what a year's comparison needs. A unit that is held
 * stays.
 */
export const RETENTION_RULES: RetentionRule[] = [
  { table: 'reservation', where: `day < today - 35 AND state <> 'held'` },
  { table: 'llm_call', where: 'day < today - 35' },
  { table: 'warmup_contact', where: `greatest(sent_at, replied_at) < now - interval '60 days'` },
  ruleOfMovedClocks('warmup_contact', 'greatest(sent_at, replied_at)', 60),
  { table: 'warmup_mishap', where: `at < now - interval '60 days'` },
  { table: 'warmup_day', where: 'day < today - 400' },
  // The ended_at of a number that goes on is null. A session that never sent leaves a row for as long as a send of it may still come:
  // sessions that are made and deleted in turns would fill the table.
  {
    table: 'warmup',
    where: `ended_at < now - interval '2 days' AND NOT EXISTS (SELECT FROM quota WHERE scope = 'session' AND id = warmup.session_id)`,
  },
  { table: 'warmup', where: `ended_at < now - interval '400 days'` },
  { table: 'quota', where: 'day < today - 400' },
];
