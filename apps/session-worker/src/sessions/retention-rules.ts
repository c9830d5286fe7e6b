import type { MediaStore } from '@svc/media-store';
import { ERASED_CONTACTS_RULE, type RetentionRule } from '@svc/service';

/**
 * Makes the rules of rows that are old enough to delete: the texts of people are not ours to hoard. What waits to be sent stays.
 * @param store holds the files whose rows are in `inbound_media`.
 */
export function retentionRules(days: number, store: Pick<MediaStore, 'delete'>): RetentionRule[] {
  const old = (column: string): string => `${column} < now - interval '${days} days'`;
  const deleteFiles = async (ids: string[]): Promise<void> => {
    for (const id of ids) await store.delete(id);
  };
  return [
    { table: 'inbound_media', where: old('received_at'), key: 'media_id', before: deleteFiles },
    { table: 'inbound_message', where: old('received_at') },
    // A poll that has not come a day after the vote is one from before the link.
    { table: 'early_vote', where: `received_at < now - interval '24 hours'` },
    { table: 'outbound_message', where: `${old('created_at')} AND status NOT IN ('QUEUED', 'SENDING')` },
    // An event that is too large for NATS was set aside for an operator, and has the words of a person like the rest.
    {
      table: 'event_outbox',
      where: `stream IS NULL AND created_at = 'infinity' AND ${old("(envelope ->> 'occurredAt')::timestamptz")}`,
    },
    ERASED_CONTACTS_RULE,
  ];
}
