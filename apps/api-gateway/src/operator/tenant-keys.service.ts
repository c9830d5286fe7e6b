import { Injectable } from '@nestjs/common';
import {
  AppError,
  type CreateKeyV1,
  type NewTenantKey,
  operatorActor,
  type RevokedTenantKey,
  type RevokeKeyV1,
  type TenantKey,
} from '@svc/contracts';
import { DataSource, type EntityManager } from 'typeorm';
import { SendPermissions } from '../auth/send-permissions.js';
import { KeyRows, toView } from '../keys/key-rows.service.js';

/** Keys of one answer: it has to fit into a message. */
const MOST = 1_000;

const LOCK_SQL = `SELECT EXISTS (SELECT FROM tenant_deletion WHERE tenant_ids @> ARRAY[$1::uuid]) AS "isDeleted"
  FROM tenant WHERE id = $1 FOR NO KEY UPDATE`;

/**
 * This class makes, lists and revokes keys of tenants for the operator. No quota and no last key stop them: a tenant that has locked itself
 * out, or whose only key has leaked, is helped here.
 */
@Injectable()
export class TenantKeys {
  constructor(
    private readonly dataSource: DataSource,
    private readonly rows: KeyRows,
    private readonly permissions: SendPermissions,
  ) {}

  /** @throws AppError `TENANT_NOT_FOUND`, `TENANT_STATE_CONFLICT` of one that is being deleted. */
  create({ tenantId, name = 'Key from the operator', operator }: CreateKeyV1): Promise<NewTenantKey> {
    return this.dataSource.transaction(async (tx) => {
      await lock(tx, tenantId);
      const order = { tenantId, name, scopes: ['*' as const], actor: operatorActor(operator) };
      const { kid, secret } = await this.rows.make(tx, order);
      return { tenantId, apiKey: secret, kid };
    });
  }

  /** @throws AppError `TENANT_NOT_FOUND`, `TENANT_STATE_CONFLICT` */
  list(tenantId: string): Promise<TenantKey[]> {
    return this.dataSource.transaction(async (tx) => {
      await lock(tx, tenantId);
      const keys = await this.rows.listed(tx, tenantId).limit(MOST).getMany();
      return keys.map((key) => {
        const { kid, name, scopes, createdAt, expiresAt, lastUsedAt } = toView(key, false);
        return { kid, name, scopes, createdAt, expiresAt, lastUsedAt };
      });
    });
  }

  /** @throws AppError `TENANT_NOT_FOUND`, `API_KEY_NOT_FOUND`, `FORBIDDEN` of a key of another tenant. */
  async revoke({ tenantId, kid, operator }: RevokeKeyV1): Promise<RevokedTenantKey> {
    await this.dataSource.transaction(async (tx) => {
      await lock(tx, tenantId);
      await this.rows.revoke(tx, await this.rows.find(tx, tenantId, kid), operatorActor(operator));
    });
    this.permissions.invalidate(kid);
    return { tenantId, kid };
  }
}

/** Waits for other changes of the tenant's keys, and for its deletion. */
async function lock(tx: EntityManager, tenantId: string): Promise<void> {
  const [tenant] = await tx.query<{ isDeleted: boolean }[]>(LOCK_SQL, [tenantId]);
  if (!tenant) throw new AppError('TENANT_NOT_FOUND', undefined, { tenantId });
  if (tenant.isDeleted)
    throw new AppError('TENANT_STATE_CONFLICT', 'The tenant is being deleted.', { tenantId });
}
