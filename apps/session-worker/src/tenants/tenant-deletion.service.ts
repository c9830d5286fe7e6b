import { Inject, Injectable } from '@nestjs/common';
import type { DeletedTenantRows, DeleteTenantRowsV1 } from '@svc/contracts';
import { MEDIA_STORE, type MediaStore } from '@svc/media-store';
import { deleteTenantRows, OF_SESSIONS, OF_TENANT, OUTBOX_ROWS, type TenantRows } from '@svc/service';
import { DataSource } from 'typeorm';
import { SessionsService } from '../sessions/sessions.service.js';

/** Files of one request at most. */
const FILES = 100;
const FILES_SQL = `SELECT media_id AS id FROM inbound_media WHERE session_id = ANY($1::uuid[]) LIMIT ${FILES}`;
const DELETE_FILES_SQL = 'DELETE FROM inbound_media WHERE media_id = ANY($1::uuid[])';
const SESSIONS_SQL = 'SELECT id, wanted FROM session WHERE tenant_id = $1';

// These are the rows that the owner of a session has not deleted with it.
const ROWS: readonly TenantRows[] = [
  { table: 'outbound_message', where: OF_TENANT },
  { table: 'inbound_message', where: OF_SESSIONS },
  { table: 'erased_contact', where: OF_TENANT },
  { table: 'audit_outbox', where: OF_TENANT },
  OUTBOX_ROWS,
];

interface SessionRow {
  id: string;
  wanted: string;
}

/**
 * Deletes what the workers keep of a tenant. Its sessions are deleted by their owners, as a tenant deletes one: they unlink the number at
 * the platform. The files of what they received and the rest of the rows go when they are gone, so that nothing comes after.
 */
@Injectable()
export class TenantDeletionService {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(MEDIA_STORE) private readonly store: MediaStore,
    private readonly sessions: SessionsService,
  ) {}

  async delete({ tenantId, sessionIds }: DeleteTenantRowsV1): Promise<DeletedTenantRows> {
    const sessions = await this.dataSource.query<SessionRow[]>(SESSIONS_SQL, [tenantId]);
    const wished = sessions.filter(({ wanted }) => wanted !== 'DELETED');
    for (const { id: sessionId } of wished)
      await this.sessions.change({ tenantId, sessionId, action: 'delete', actor: 'operator' });
    const own: Record<string, number> = wished.length > 0 ? { 'sessions.session': wished.length } : {};
    if (sessions.length > 0) return { deleted: own, done: false };
    const files = await this.deleteFiles(sessionIds);
    if (files > 0) own['sessions.inbound_media'] = files;
    if (files === FILES) return { deleted: own, done: false };
    const { deleted, done } = await deleteTenantRows(this.dataSource, 'sessions', ROWS, [
      tenantId,
      sessionIds,
    ]);
    return { deleted: { ...own, ...deleted }, done };
  }

  /** Deletes first the files, then the rows that say which there are: what a crash leaves behind is found again. */
  private async deleteFiles(sessionIds: string[]): Promise<number> {
    const files = await this.dataSource.query<{ id: string }[]>(FILES_SQL, [sessionIds]);
    for (const { id } of files) await this.store.delete(id);
    await this.dataSource.query(DELETE_FILES_SQL, [files.map(({ id }) => id)]);
    return files.length;
  }
}
