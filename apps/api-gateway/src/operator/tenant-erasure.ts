import { Inject, Injectable } from '@nestjs/common';
import { type DeletedTenantRows, type DeleteTenantRowsV1, OPERATOR_LOG } from '@svc/contracts';
import { MEDIA_STORE, type MediaStore } from '@svc/media-store';
import { eraseDeadLetters, Messaging } from '@svc/messaging';
import { deleteTenantRows, OF_SESSIONS, OF_TENANT, type TenantRows } from '@svc/service';
import { DataSource, type EntityManager } from 'typeorm';
import { AuditService } from '../audit/audit.service.js';

/** Files of one turn. */
const FILES = 100;
const FILES_SQL = `SELECT id FROM upload WHERE tenant_id = $1 LIMIT ${FILES}`;
const DELETE_FILES_SQL = 'DELETE FROM upload WHERE id = ANY($1::uuid[])';

const ROWS: readonly TenantRows[] = [
  { table: 'api_key', where: OF_TENANT },
  { table: 'dashboard_user', where: OF_TENANT },
  { table: 'scheduled_message', where: OF_TENANT },
  { table: 'message', where: OF_TENANT },
  { table: 'poll_vote', where: OF_TENANT },
  { table: 'client_message', where: OF_TENANT },
  { table: 'conversation', where: OF_TENANT },
  { table: 'contact_alias', where: OF_TENANT },
  { table: 'opt_out', where: OF_TENANT },
  { table: 'opt_out_words', where: OF_TENANT },
  { table: 'widget', where: OF_TENANT },
  { table: 'single_use_link', where: OF_TENANT },
  { table: 'session_creation', where: OF_TENANT },
  { table: 'session_assistant', where: OF_TENANT },
  { table: 'sandbox_number', where: OF_SESSIONS },
  { table: 'erasure', where: OF_TENANT },
  { table: 'erased_contact', where: OF_TENANT },
  { table: 'sandbox_day', where: OF_TENANT },
  // The uploads are gone by now: their end would count once more.
  { table: 'kept_uploads', where: OF_TENANT },
];

const ENDS_SQL = `SELECT tenant_id AS "tenantId", place, encode(hash, 'hex') AS hash FROM audit_head
  WHERE tenant_id = ANY($1) ORDER BY tenant_id FOR UPDATE`;
const LOG_SQL = 'DELETE FROM audit_log WHERE tenant_id = ANY($1)';
const HEADS_SQL = 'DELETE FROM audit_head WHERE tenant_id = ANY($1)';
const SEEN_SQL = 'DELETE FROM audit_seen WHERE tenant_id = ANY($1)';
const TENANT_SQL = 'DELETE FROM tenant WHERE id = $1';
const DONE_SQL = `UPDATE tenant_deletion SET finished_at = clock_timestamp(), session_ids = '{}'
  WHERE tenant_id = $1 AND finished_at IS NULL RETURNING deleted`;

interface LogEnd {
  tenantId: string;
  place: number;
  hash: string;
}

/** This class deletes what the gateway itself keeps of a tenant; at last the audit log, of which the operator's own keeps the end. */
@Injectable()
export class TenantErasure {
  constructor(
    private readonly dataSource: DataSource,
    private readonly audit: AuditService,
    private readonly messaging: Messaging,
    @Inject(MEDIA_STORE) private readonly store: MediaStore,
  ) {}

  /** Deletes rows and files, for a while. */
  async deleteRows({ tenantId, sessionIds }: DeleteTenantRowsV1): Promise<DeletedTenantRows> {
    const files = await this.dataSource.query<{ id: string }[]>(FILES_SQL, [tenantId]);
    // First the files, then the rows that say which there are: what a crash leaves behind is found again.
    for (const { id } of files) await this.store.delete(id);
    await this.dataSource.query(DELETE_FILES_SQL, [files.map(({ id }) => id)]);
    const uploads: Record<string, number> = files.length > 0 ? { 'gateway.upload': files.length } : {};
    if (files.length === FILES) return { deleted: uploads, done: false };
    const { deleted, done } = await deleteTenantRows(this.dataSource, 'gateway', ROWS, [
      tenantId,
      sessionIds,
    ]);
    return { deleted: { ...uploads, ...deleted }, done };
  }

  /** Deletes copies of what no service could process, and then the tenant with its audit log. */
  async finish(tenantId: string, tenantIds: string[]): Promise<void> {
    await eraseDeadLetters(this.messaging, ({ message }) => tenantIds.some((id) => message.includes(id)));
    await this.dataSource.transaction((tx) => this.deleteTenant(tx, tenantId, tenantIds));
  }

  private async deleteTenant(tx: EntityManager, tenantId: string, tenantIds: string[]): Promise<void> {
    const ends = await tx.query<LogEnd[]>(ENDS_SQL, [tenantIds]);
    for (const sql of [LOG_SQL, HEADS_SQL, SEEN_SQL]) await tx.query(sql, [tenantIds]);
    // The sandbox points to its tenant, and stands before it in the list.
    for (const id of tenantIds) await tx.query(TENANT_SQL, [id]);
    // TypeORM answers UPDATE … RETURNING with [rows, count].
    const [[done]] = await tx.query<[{ deleted: Record<string, number> }[], number]>(DONE_SQL, [tenantId]);
    if (!done) return; // another replica was faster
    const auditLogs = ends.map(({ place: entries, ...end }) => ({ ...end, entries }));
    const fact = { tenantId: OPERATOR_LOG, actor: 'system', action: 'tenant.deleted', target: tenantId };
    await this.audit.write({ ...fact, details: { deleted: done.deleted, auditLogs } }, tx);
  }
}
