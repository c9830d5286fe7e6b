import { Injectable } from '@nestjs/common';
import type { MessageBody } from '@svc/contracts';
import { DataSource } from 'typeorm';

/** Changes of a message after it was sent or received. */
export interface MessageChanges {
  edited: { messageId: string; body: MessageBody; at: Date } | null;
  deletedAt: Date | null;
}

/** An edit or a deletion of a message. */
interface Change {
  of: string;
  isEdit: boolean;
  id: string;
  body: MessageBody;
  at: Date;
}

/**
 * The statement finds the edits and deletions of messages, those of sends and those that came from the platform by an index each. Only its
 * author changes a message: the session its own, by a send or on the phone, and a contact those of the contact. What was only queued has
 * changed nothing yet. The messages are found by their keys (docs/adr/0028-statements-use-the-primary-key.md).
 */
export const CHANGES_SQL = `
  SELECT m.id AS "of", c.relates_to ->> 'relation' = 'EDIT' AS "isEdit", c.id, c.body, coalesce(c.sent_at, c.updated_at) AS at
  FROM message m JOIN message c ON c.relates_to ->> 'messageId' = m.id::text AND c.relates_to ->> 'relation' IN ('EDIT', 'DELETE')
  WHERE m.id = ANY($1) AND (c.tenant_id = m.tenant_id) IS TRUE AND c.status || '' IN ('SENT', 'DELIVERED', 'READ')
  UNION ALL
  SELECT m.id, c.origin -> 'change' ->> 'kind' = 'EDITED', c.id, c.body, c.created_at
  FROM message m JOIN message c ON c.session_id = m.session_id AND c.contact = m.contact
    AND c.origin -> 'change' ->> 'keyId' = m.key_id AND c.origin -> 'change' ->> 'keyId' IS NOT NULL
  WHERE m.id = ANY($1) AND c.direction = m.direction AND (m.direction = 'OUTBOUND' OR c.origin -> 'sender' = m.origin -> 'sender')
  ORDER BY at`;

const DELETED_SQL = `SELECT EXISTS (SELECT FROM message WHERE relates_to ->> 'messageId' = $1
    AND relates_to ->> 'relation' = 'DELETE'
    AND (tenant_id = $2) IS TRUE AND status || '' <> 'FAILED'
    AND ($3::uuid IS NULL OR (id <> $3) IS TRUE AND (send_at IS NULL OR released_at IS NOT NULL))) AS deleted`;

/**
 * This class finds what was done to messages afterwards. It is read from the edits and deletions themselves, which are messages of their
 * own: they may come before what they change, and are erased with whoever wrote them.
 */
@Injectable()
export class MessageChangesRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Finds the newest edit and the deletion of each of these messages; those that nobody changed are left out. */
  async of(messageIds: string[]): Promise<Map<string, MessageChanges>> {
    const found = new Map<string, MessageChanges>();
    if (messageIds.length === 0) return found;
    for (const { of, isEdit, id, body, at } of await this.dataSource.query<Change[]>(CHANGES_SQL, [
      messageIds,
    ])) {
      const { edited, deletedAt } = found.get(of) ?? { edited: null, deletedAt: null };
      if (isEdit) found.set(of, { edited: { messageId: id, body, at }, deletedAt });
      else found.set(of, { edited, deletedAt: deletedAt ?? at });
    }
    return found;
  }

  /**
   * Finds out whether a message was deleted, or is about to be.
   * @param before job whose time has come: itself, and what waits for a later time, does not count.
   */
  async isDeleted(tenantId: string, messageId: string, before: string | null = null): Promise<boolean> {
    if ((await this.of([messageId])).get(messageId)?.deletedAt) return true;
    const parameters = [messageId, tenantId, before];
    const [row] = await this.dataSource.query<{ deleted: boolean }[]>(DELETED_SQL, parameters);
    return row?.deleted === true;
  }
}
