import { Injectable } from '@nestjs/common';
import {
  AppError,
  type DeleteTenantV1,
  GetSubscription,
  OPERATOR_LOG,
  operatorActor,
  type TenantDeletion,
} from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import { DataSource, type EntityManager } from 'typeorm';
import { AuditService } from '../audit/audit.service.js';
import { SendPermissions } from '../auth/send-permissions.js';

const RECEIPT_SQL = `SELECT tenant_id AS "tenantId", requested_at AS "requestedAt", finished_at AS "finishedAt", deleted
  FROM tenant_deletion WHERE tenant_id = $1`;
const TENANTS_SQL = `UPDATE tenant SET suspended_at = coalesce(suspended_at, clock_timestamp())
  WHERE id = $1 OR sandbox_of = $1 RETURNING id, sandbox_of AS "sandboxOf"`;
const REQUEST_SQL = `INSERT INTO tenant_deletion (tenant_id, tenant_ids) VALUES ($1, $2) ON CONFLICT DO NOTHING`;

interface Receipt {
  tenantId: string;
  requestedAt: Date;
  finishedAt: Date | null;
  deleted: Record<string, number>;
}

interface TenantRow {
  id: string;
  sandboxOf: string | null;
}

/**
 * This class takes the operator's wish to delete a tenant: the row is the wish, and its receipt for ever. From the commit on the tenant's
 * keys are refused; the runner does the rest.
 */
@Injectable()
export class DeletionsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly permissions: SendPermissions,
    private readonly audit: AuditService,
    private readonly rpc: RpcClient,
  ) {}

  /** @throws AppError `TENANT_NOT_FOUND`; `SUBSCRIPTION_CONFLICT` of one that the payment provider still charges; `TENANT_STATE_CONFLICT` of a sandbox. */
  async request(request: DeleteTenantV1): Promise<TenantDeletion> {
    const { tenantId } = request;
    if (!(await this.find(tenantId))) {
      await this.assertUncharged(tenantId);
      await this.dataSource.transaction((tx) => this.insert(tx, request));
      this.permissions.invalidate();
    }
    const receipt = await this.find(tenantId);
    if (!receipt) throw new AppError('TENANT_NOT_FOUND', undefined, { tenantId });
    const { requestedAt, finishedAt, deleted } = receipt;
    return {
      ...{ tenantId, requestedAt: requestedAt.toISOString(), deleted },
      finishedAt: finishedAt?.toISOString() ?? null,
    };
  }

  private async find(tenantId: string): Promise<Receipt | undefined> {
    const [row] = await this.dataSource.query<Receipt[]>(RECEIPT_SQL, [tenantId]);
    return row;
  }

  private async assertUncharged(tenantId: string): Promise<void> {
    const { keeper, status } = await this.rpc.request(GetSubscription, { tenantId });
    if (keeper !== 'stripe' || status === 'CANCELED') return;
    const message = 'The payment provider still charges this tenant: cancel the subscription there first.';
    throw new AppError('SUBSCRIPTION_CONFLICT', message, { tenantId, status });
  }

  private async insert(tx: EntityManager, { tenantId, reason, operator }: DeleteTenantV1): Promise<void> {
    // TypeORM answers UPDATE … RETURNING with [rows, count].
    const [rows] = await tx.query<[TenantRow[], number]>(TENANTS_SQL, [tenantId]);
    const own = rows.find(({ id }) => id === tenantId);
    if (!own) throw new AppError('TENANT_NOT_FOUND', undefined, { tenantId });
    if (own.sandboxOf !== null) {
      const message = 'This is the sandbox of another tenant, and goes with it.';
      throw new AppError('TENANT_STATE_CONFLICT', message, { tenantId, sandboxOf: own.sandboxOf });
    }
    const ids = [...rows.map(({ id }) => id).filter((id) => id !== tenantId), tenantId];
    await tx.query(REQUEST_SQL, [tenantId, ids]);
    const fact = { tenantId: OPERATOR_LOG, actor: operatorActor(operator), ...(reason && { reason }) };
    for (const target of ids)
      await this.audit.write({ ...fact, action: 'tenant.deletion_requested', target }, tx);
  }
}
