import { Injectable } from '@nestjs/common';
import { type ApiKeyView, AppError, type Scope } from '@svc/contracts';
import { DataSource, type EntityManager, type SelectQueryBuilder } from 'typeorm';
import { AuditService } from '../audit/audit.service.js';
import { environmentOf, generateKey, KeyDigest, KID } from '../auth/api-key.js';
import { ApiKey } from '../auth/api-key.entity.js';
import { QuotasService } from '../limits/quotas.service.js';
import { Tenant } from '../tenants/tenant.entity.js';

/** Days for which a key that expired is listed: whoever wonders why something is refused finds it there. */
const LISTED_DAYS = 30;
const LISTED = `key.tenant_id = :tenantId AND key.revoked_at IS NULL
  AND (key.expires_at IS NULL OR key.expires_at > (SELECT svc_now(:tenantId)) - interval '${LISTED_DAYS} days')`;

/** Keys that work no more may be made without end: the newest of them stay, for as long as they are listed. */
const FORGET_SQL = `DELETE FROM api_key WHERE kid IN (
  SELECT kid FROM (
    SELECT kid, least(revoked_at, expires_at) AS ended_at, row_number() OVER (ORDER BY created_at DESC, kid DESC) AS place, now
    FROM api_key, svc_now($1) AS now
    WHERE tenant_id = $1 AND (revoked_at IS NOT NULL OR expires_at <= now)) ended
  WHERE place > 1000 OR ended_at <= now - interval '${LISTED_DAYS} days')`;

const TIME_SQL = `SELECT svc_now($1) + $2::int * interval '1 day' AS at`;

/** A key to be made. */
export interface KeyOrder {
  tenantId: string;
  name: string;
  scopes: Scope[];
  /** End of the key; left out or null: it does not expire by itself. */
  expiresAt?: Date | null | undefined;
  /** Session for whose bot it is. */
  sessionId?: string | null | undefined;
  /** First of the keys that have replaced each other before it. */
  firstKid?: string | null;
  actor: string;
}

/** A key that was made, with its secret, which is shown this once. */
export type MadeKey = ApiKeyView & { secret: string };

/** This class writes the rows of keys, each change with its line in the audit log. */
@Injectable()
export class KeyRows {
  constructor(
    private readonly dataSource: DataSource,
    private readonly digest: KeyDigest,
    private readonly audit: AuditService,
    private readonly quotas: QuotasService,
  ) {}

  /** @throws AppError `API_KEY_NOT_FOUND` also of one that is revoked; `FORBIDDEN` of another tenant's. */
  async find(tx: EntityManager, tenantId: string, kid: string): Promise<ApiKey> {
    const key = KID.test(kid) ? await tx.findOneBy(ApiKey, { kid }) : null;
    if (!key || key.revokedAt) throw new AppError('API_KEY_NOT_FOUND');
    if (key.tenantId !== tenantId) throw new AppError('FORBIDDEN');
    return key;
  }

  /** Begins to list the keys of a tenant, newest first: those that work, and those whose time has ended lately. */
  listed(tx: EntityManager, tenantId: string): SelectQueryBuilder<ApiKey> {
    return tx
      .createQueryBuilder(ApiKey, 'key')
      .where(LISTED, { tenantId })
      .orderBy({ 'key.created_at': 'DESC', 'key.kid': 'DESC' });
  }

  /**
   * Makes a key beside the others, e.g. for an external bot.
   * @throws AppError `QUOTA_CONFLICT`
   */
  async makeBeside(order: KeyOrder): Promise<MadeKey> {
    const most = await this.quotas.most(order.tenantId, 'keys');
    return this.dataSource.transaction(async (tx) => {
      await this.quotas.assertRoom(tx, order.tenantId, 'keys', most);
      return this.make(tx, order);
    });
  }

  /** Makes a key in the transaction that it belongs to, whatever the quota. */
  async make(
    tx: EntityManager,
    { tenantId, name, scopes, expiresAt = null, sessionId = null, firstKid = null, actor }: KeyOrder,
  ): Promise<MadeKey> {
    const { sandboxOf } = await tx.findOneByOrFail(Tenant, { id: tenantId });
    const { kid, env, key, body } = generateKey(sandboxOf === null ? 'live' : 'test');
    const values = { kid, env, tenantId, name, scopes, expiresAt, sessionId, firstKid, last4: key.slice(-4) };
    await tx
      .createQueryBuilder()
      .insert()
      .into(ApiKey)
      .values({ ...values, ...this.digest.make(body), createdAt: () => 'svc_now(:tenant)' })
      .setParameters({ tenant: tenantId })
      .execute();
    await tx.query(FORGET_SQL, [tenantId]);
    const details = { name, scopes, ...(expiresAt && { expiresAt: expiresAt.toISOString() }) };
    await this.audit.write({ tenantId, actor, action: 'api_key.created', target: kid, details }, tx);
    return { ...toView(await tx.findOneByOrFail(ApiKey, { kid }), false), secret: key };
  }

  /** Ends a key at once; the caller invalidates what is cached of it after the commit. */
  async revoke(tx: EntityManager, { kid, tenantId, name }: ApiKey, actor: string): Promise<void> {
    await tx.update(ApiKey, { kid }, { revokedAt: () => 'svc_now(tenant_id)' });
    await this.audit.write(
      { tenantId, actor, action: 'api_key.revoked', target: kid, details: { name } },
      tx,
    );
  }
}

/** Reads what time it is for a tenant, so many days from now. */
export async function timeIn(tx: EntityManager, tenantId: string, days: number): Promise<Date> {
  const [row] = await tx.query<[{ at: Date }]>(TIME_SQL, [tenantId, days]);
  return row.at;
}

/** Shows a key. @param rotationDue whether it is so old that it should be replaced. */
export function toView(key: ApiKey, rotationDue: boolean): ApiKeyView {
  const { kid, env, name, scopes, sessionId, last4, createdAt, expiresAt, lastUsedAt } = key;
  return {
    ...{ kid, environment: environmentOf(env), name, scopes, scope: scopes.join(' '), last4 },
    sessionId,
    createdAt: createdAt.toISOString(),
    rotationDue,
    expiresAt: expiresAt?.toISOString() ?? null,
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  };
}
