import { ERASED_CONTACTS_RULE, type RetentionRule, ruleOfMovedClocks } from '@svc/service';

// The rows are checked again under the locks: a replay may have begun since they were found, and one that begins now waits.
const REMOVE_EVENTS_SQL = `WITH gone AS (
    DELETE FROM webhook_event event WHERE id = ANY($1::uuid[])
      AND NOT EXISTS (SELECT FROM webhook_delivery hot WHERE hot.event_id = event.id)
    RETURNING id)
  DELETE FROM webhook_attempt attempt USING gone WHERE attempt.event_id = gone.id`;

const UNUSED = `NOT EXISTS (SELECT FROM webhook_delivery hot WHERE hot.event_id = webhook_event.id)
        AND NOT EXISTS (SELECT FROM webhook_dlq dlq WHERE dlq.event_id = webhook_event.id)`;

/** Days of retention of each kind of row. */
export interface RetentionDays {
  retentionDays: number;
  deadLetterDays: number;
}

/**
 * Makes the rules of what has been kept long enough: dead letters, replays that have ended, deletions of sessions that are carried out, and events with the attempts made for them.
 * An event is kept as long as a delivery or a dead letter of it is, because its payload is what they send; so its rules are the last.
 */
export function retentionRules({ retentionDays, deadLetterDays }: RetentionDays): RetentionRule[] {
  const old = (column: string, days: number): string => `${column} < now - interval '${days} days'`;
  const moved = ruleOfMovedClocks('webhook_event', 'created_at', retentionDays);
  return [
    ERASED_CONTACTS_RULE,
    { table: 'webhook_dlq', where: old('dead_at', deadLetterDays), order: 'dead_at' },
    ruleOfMovedClocks('webhook_dlq', 'dead_at', deadLetterDays),
    // The column finished_at is null while a replay runs.
    { table: 'webhook_replay', where: old('finished_at', retentionDays), order: 'finished_at' },
    // The column due_at is not null until the endpoint is deleted.
    {
      table: 'session_deletion',
      where: `due_at IS NULL AND ${old('noted_at', retentionDays)}`,
      order: 'noted_at',
    },
    {
      table: 'webhook_event',
      where: `${old('created_at', retentionDays)} AND ${UNUSED}`,
      order: 'created_at',
      remove: REMOVE_EVENTS_SQL,
    },
    { ...moved, where: `${moved.where} AND ${UNUSED}`, remove: REMOVE_EVENTS_SQL },
  ];
}
