import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { deleteTenantRows, OF_SESSIONS, OF_TENANT, type TenantRows } from '@svc/service';
import { DataSource } from 'typeorm';

// Messages and calls go with their turn, passages with their source.
const OF_SESSION: readonly TenantRows[] = [
  ...['assistant', 'settings_version', 'handoff', 'turn', 'knowledge_source', 'knowledge_gap'],
].map((table) => ({
  table,
  where: `${OF_TENANT} AND ${OF_SESSIONS}`,
}));

/** This service deletes what belongs to a session that is deleted. */
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
}
