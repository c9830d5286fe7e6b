import { Injectable } from '@nestjs/common';
import {
  AppError,
  operatorActor,
  SetEndpointSuspension,
  SetSessionSuspension,
  type SuspendTenantV1,
  type SuspensionReply,
} from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import { DataSource, type EntityManager } from 'typeorm';
import { AuditService } from '../audit/audit.service.js';
import { SendPermissions } from '../auth/send-permissions.js';
import { ScheduleRepository } from '../scheduling/schedule.repository.js';

/** Time that one service has; the owners of endpoints confirm. */
const PATIENCE_MS = 10_000;

const FIND_SQL = `SELECT id, suspended_at AS "suspendedAt", EXISTS (SELECT FROM tenant_deletion WHERE tenant_id = $1) AS "isDeleted"
  FROM tenant WHERE id = $1 OR sandbox_of = $1 ORDER BY id = $1 DESC FOR UPDATE`;
const SET_SQL = `UPDATE tenant SET suspended_at = CASE WHEN $2 THEN coalesce(suspended_at, clock_timestamp()) END
  WHERE id = ANY($1) RETURNING suspended_at AS "suspendedAt"`;

interface TenantRow {
  id: string;
  suspendedAt: Date | null;
  isDeleted: boolean;
}

/**
 * This class suspends tenants, each with its sandbox. The gateway refuses their keys from the commit on; then the other services are told,
 * which keep what waits. A repeat tells them again, so that one that was away has only to be asked once more.
 */
@Injectable()
export class SuspensionsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly schedule: ScheduleRepository,
    private readonly permissions: SendPermissions,
    private readonly audit: AuditService,
    private readonly rpc: RpcClient,
  ) {}

  /** @throws AppError `TENANT_NOT_FOUND`, `TENANT_STATE_CONFLICT` of one that is being deleted. */
  async set(request: SuspendTenantV1, suspended: boolean): Promise<SuspensionReply> {
    const { ids, suspendedAt } = await this.dataSource.transaction((tx) =>
      this.write(tx, request, suspended),
    );
    this.permissions.invalidate();
    for (const tenantId of ids) {
      await this.rpc.request(SetSessionSuspension, { tenantId, suspended }, PATIENCE_MS);
      await this.rpc.request(SetEndpointSuspension, { tenantId, suspended }, PATIENCE_MS);
    }
    return { tenantId: request.tenantId, suspendedAt: suspendedAt?.toISOString() ?? null };
  }

  private async write(
    tx: EntityManager,
    { tenantId, reason, operator }: SuspendTenantV1,
    suspended: boolean,
  ): Promise<{ ids: string[]; suspendedAt: Date | null }> {
    const rows = await tx.query<TenantRow[]>(FIND_SQL, [tenantId]);
    const [row] = rows;
    if (!row) throw new AppError('TENANT_NOT_FOUND', undefined, { tenantId });
    if (row.isDeleted)
      throw new AppError('TENANT_STATE_CONFLICT', 'The tenant is being deleted.', { tenantId });
    const ids = rows.map(({ id }) => id);
    // TypeORM answers UPDATE … RETURNING with [rows, count].
    const [[set]] = await tx.query<[[Pick<TenantRow, 'suspendedAt'>], number]>(SET_SQL, [ids, suspended]);
    if (!suspended) await this.schedule.noteLate(tx, ids);
    if ((row.suspendedAt !== null) !== suspended) {
      const action = suspended ? 'tenant.suspended' : 'tenant.resumed';
      const fact = { tenantId, actor: operatorActor(operator), action, target: tenantId };
      await this.audit.write({ ...fact, ...(reason && { reason }) }, tx);
    }
    return { ids, suspendedAt: set.suspendedAt };
  }
}
