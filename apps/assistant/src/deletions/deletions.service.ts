import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DeletedTenantRows, DeleteTenantRowsV1 } from '@svc/contracts';
import { deleteTenantRows, OF_SESSIONS, OF_TENANT, OUTBOX_ROWS, type TenantRows } from '@svc/service';
import { DataSource } from 'typeorm';

// Messages, calls of models and tools, approvals and drafts go with their turn, passages with their source.
const OF_SESSION: readonly TenantRows[] = [
  ...['assistant', 'settings_version', 'handoff', 'brain_conversation', 'turn'],
  ...['knowledge_source', 'knowledge_gap', 'phone_text'],
].map((table) => ({
  table,
  where: `${OF_TENANT} AND ${OF_SESSIONS}`,
}));

const OF_ALL: readonly TenantRows[] = [
  ...['assistant', 'settings_version', 'handoff', 'turn', 'turn_message', 'model_call', 'tool_call'],
  ...[
    'approval',
    'brain_conversation',
    'provider',
    'tool',
    'tool_server',
    'phone_text',
    'knowledge_source',
    'knowledge_gap',
    'erased_contact',
    'audit_outbox',
  ],
]
  .map((table) => ({ table, where: OF_TENANT }))
  .concat(OUTBOX_ROWS);

/** This service deletes what belongs to a session or to a tenant that is deleted. */
@Injectable()
export class DeletionsService {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async deleteSession(tenantId: string, sessionId: string): Promise<void> {
    for (let isDone = false; !isDone;) {
      const { done } = await deleteTenantRows(this.dataSource, 'assistant', OF_SESSION, [
        tenantId,
        [sessionId],
      ]);
      isDone = done;
    }
  }

  /** Deletes rows of a tenant, for a while. */
  deleteTenant({ tenantId, sessionIds }: DeleteTenantRowsV1): Promise<DeletedTenantRows> {
    return deleteTenantRows(this.dataSource, 'assistant', OF_ALL, [tenantId, sessionIds]);
  }
}
