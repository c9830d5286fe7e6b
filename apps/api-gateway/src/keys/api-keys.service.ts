import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import {
  type ApiKeyView,
  AppError,
  type CheckedApiKeys,
  type CreateApiKeyBody,
  invalidField,
  type NewApiKey,
  type Page,
  type PageQuery,
  type RotatedKey,
  type Scope,
} from '@svc/contracts';
import { DataSource, type EntityManager, Repository } from 'typeorm';
import { AuditService } from '../audit/audit.service.js';
import { SendPermissions } from '../auth/send-permissions.js';
import { QuotasService } from '../limits/quotas.service.js';
import { Cursors, DEFAULT_LIMIT } from '../paging/cursor.js';
import { SandboxesService } from '../tenants/sandboxes.service.js';
import { Tenant } from '../tenants/tenant.entity.js';
import { ApiKey } from '../auth/api-key.entity.js';
import { actorOf, type Caller } from '../auth/authorization.js';
import { environmentOf, generateKey, KeyDigest, KID, parseKey } from '../auth/api-key.js';

// Domain time, asked for once; rotation every 90 days is recommended (specification, "Authentication").
const ROTATION_DUE = `key.created_at < (SELECT svc_now(:tenantId)) - interval '90 days'`;

/** Expiry of a key; without a number of days it never expires. */
const EXPIRES_AT = `svc_now(:tenant) + :days::int * interval '1 day'`;

/**
 * Two deployments that rotate one key at the same moment would each have a key of its own. Whoever has lost the answer of a rotation has
 * waited for longer than that, and may repeat it.
 */
const NOT_JUST_ROTATED = `(rotated_at IS NULL OR rotated_at <= svc_now(tenant_id) - interval '2 seconds')`;

/** Keys that work no more may be made without end: the newest of them stay. */
const FORGET_SQL = `DELETE FROM api_key WHERE kid IN (
  SELECT kid FROM api_key, svc_now($1) AS now
  WHERE tenant_id = $1 AND (revoked_at IS NOT NULL OR expires_at <= now)
  ORDER BY created_at DESC, kid DESC OFFSET 1000)`;

/** A key to be made. */
export interface KeyOrder {
  tenantId: string;
  name: string;
  scopes: Scope[];
  /** Days until the key expires; left out: it does not expire by itself. */
  expiresInDays?: number | undefined;
  actor: string;
}

/** A key that is replaced. */
interface Replacement {
  kid: string;
  /** Scopes of the key that replaces it: with others it is no rotation, and several such keys may be made one after the other. */
  scopes: Scope[] | undefined;
  /** Keys that the tenant may have; null: any number. */
  most: number | null;
}

/** This class makes, replaces and revokes the keys of a tenant. A replaced key works for another 24 hours; each change is audited with it. */
@Injectable()
export class ApiKeysService {
  constructor(
    private readonly dataSource: DataSource,
    @InjectRepository(ApiKey) private readonly keys: Repository<ApiKey>,
    private readonly digest: KeyDigest,
    private readonly audit: AuditService,
    private readonly cursors: Cursors,
    private readonly sandboxes: SandboxesService,
    private readonly permissions: SendPermissions,
    private readonly quotas: QuotasService,
  ) {}

  /** Creates a key. `rotates` left out: the calling key; null: none (specification, "API key rotation"). */
  create(caller: Caller, body: CreateApiKeyBody): Promise<NewApiKey> {
    const { environment = caller.environment } = body;
    return environment === caller.environment
      ? this.createBeside(caller, body)
      : this.createTest(caller, body);
  }

  /**
   * Makes a key of the sandbox with a live one. The other way is closed: a test key, which lies in many places, would open them all.
   * @throws AppError `LIVE_ONLY`
   */
  private async createTest(caller: Caller, { rotates, ...body }: CreateApiKeyBody): Promise<NewApiKey> {
    if (caller.environment === 'TEST') throw new AppError('LIVE_ONLY', 'A test key makes no live keys.');
    if (rotates) {
      await this.find(this.dataSource.manager, caller, rotates);
      throw invalidField('rotates', 'rotates must be null: a key of the sandbox replaces no live key');
    }
    const actor = actorOf(caller);
    const tenantId = await this.sandboxes.of(caller.tenantId, actor);
    const { name = 'Test key', scopes = ['*' as const], expiresInDays } = body;
    return { ...(await this.makeBeside({ tenantId, name, scopes, expiresInDays, actor })), rotated: null };
  }

  private async createBeside(
    caller: Caller,
    { name, scopes, rotates, expiresInDays }: CreateApiKeyBody,
  ): Promise<NewApiKey> {
    const most = await this.quotas.most(caller.tenantId, 'keys');
    return this.dataSource.transaction(async (tx) => {
      const kid = rotates === undefined ? caller.kid : rotates;
      const old = kid === null ? null : await this.expire(tx, caller, { kid, scopes, most });
      await this.quotas.assertRoom(tx, caller.tenantId, 'keys', most);
      const made = await this.make(tx, {
        tenantId: caller.tenantId,
        name: name ?? old?.name ?? 'API key',
        scopes: scopes ?? old?.scopes ?? ['*'],
        expiresInDays,
        actor: actorOf(caller),
      });
      const rotated: RotatedKey | null = old && {
        kid: old.kid,
        expiresAt: (old.expiresAt as Date).toISOString(),
      };
      return { ...made, rotated };
    });
  }

  /**
   * Makes a key beside the others, e.g. for an external bot.
   * @throws AppError `QUOTA_CONFLICT`
   */
  async makeBeside(order: KeyOrder): Promise<ApiKeyView & { secret: string }> {
    const most = await this.quotas.most(order.tenantId, 'keys');
    return this.dataSource.transaction(async (tx) => {
      await this.quotas.assertRoom(tx, order.tenantId, 'keys', most);
      return this.make(tx, order);
    });
  }

  /** Makes a key beside the others, in the transaction that it belongs to. */
  async make(
    tx: EntityManager,
    { tenantId, name, scopes, expiresInDays, actor }: KeyOrder,
  ): Promise<ApiKeyView & { secret: string }> {
    const { sandboxOf } = await tx.findOneByOrFail(Tenant, { id: tenantId });
    const { kid, env, key, body } = generateKey(sandboxOf === null ? 'live' : 'test');
    const values = { kid, env, tenantId, name, scopes, last4: key.slice(-4), ...this.digest.make(body) };
    await tx
      .createQueryBuilder()
      .insert()
      .into(ApiKey)
      .values({ ...values, createdAt: () => 'svc_now(:tenant)', expiresAt: () => EXPIRES_AT })
      .setParameters({ tenant: tenantId, days: expiresInDays ?? null })
      .execute();
    await tx.query(FORGET_SQL, [tenantId]);
    await this.audit.write(
      { tenantId, actor, action: 'api_key.created', target: kid, details: { name, scopes, expiresInDays } },
      tx,
    );
    return { ...toView(await tx.findOneByOrFail(ApiKey, { kid }), false), secret: key };
  }

  async list({ tenantId }: Caller, { limit = DEFAULT_LIMIT, before }: PageQuery): Promise<Page<ApiKeyView>> {
    const list = `api-keys:${tenantId}`;
    const query = this.keys.createQueryBuilder('key').where('key.tenant_id = :tenantId', { tenantId });
    query.addSelect(ROTATION_DUE, 'rotation_due').andWhere('key.revoked_at IS NULL');
    const last = this.cursors.decode(list, before);
    if (last) query.andWhere('(key.created_at, key.kid) < (:at, :kid)', positionFrom(last));
    const { entities, raw } = await query
      .orderBy({ 'key.created_at': 'DESC', 'key.kid': 'DESC' })
      .limit(limit + 1)
      .getRawAndEntities<{ rotation_due: boolean }>();
    const rows = entities.map((key, i) => toView(key, raw[i]?.rotation_due === true));
    return this.cursors.page(list, rows, limit, ({ createdAt, kid }) => `${createdAt} ${kid}`);
  }

  /** Checks the form of keys and asks nobody: the answer is the same for a key that works, one that is revoked and one that never was. */
  check(candidates: string[]): CheckedApiKeys {
    return { items: candidates.map((candidate) => ({ isKey: parseKey(candidate) !== undefined })) };
  }

  /** Revokes a key. It is in force here when this returns, on the other replicas when the notice has come or their cache has ended. */
  async revoke(caller: Caller, kid: string): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      const key = await this.find(tx, caller, kid);
      await tx.update(ApiKey, { kid }, { revokedAt: () => 'svc_now(tenant_id)' });
      const { tenantId, name } = key;
      const details = { name };
      await this.audit.write(
        { tenantId, actor: actorOf(caller), action: 'api_key.revoked', target: kid, details },
        tx,
      );
    });
    this.permissions.invalidate(kid);
  }

  /**
   * Lets a key expire in 24 hours; one that expires earlier keeps its time. It makes room for its successor at once: whoever has as many keys
   * as there may be can replace one that leaked. The replaced ones have a bound of their own, so that a chain of rotations ends.
   * @throws AppError `API_KEY_CONFLICT` where another call has rotated it at the same moment, `QUOTA_CONFLICT`.
   */
  private async expire(
    tx: EntityManager,
    caller: Caller,
    { kid, scopes, most }: Replacement,
  ): Promise<ApiKey> {
    const { tenantId, scopes: before } = await this.find(tx, caller, kid);
    await this.quotas.assertRoom(tx, tenantId, 'replacedKeys', most);
    const isRotation = !scopes || new Set([...scopes, ...before]).size === new Set(before).size;
    const { affected } = await tx
      .createQueryBuilder()
      .update(ApiKey)
      .set({
        expiresAt: () => `least(coalesce(expires_at, 'infinity'), svc_now(tenant_id) + interval '24 hours')`,
        ...(isRotation && { rotatedAt: () => 'svc_now(tenant_id)' }),
      })
      .where({ kid })
      .andWhere(isRotation ? NOT_JUST_ROTATED : 'true')
      .execute();
    if (affected === 0) throw new AppError('API_KEY_CONFLICT');
    const key = await tx.findOneByOrFail(ApiKey, { kid });
    const details = { expiresAt: key.expiresAt?.toISOString() };
    await this.audit.write(
      { tenantId, actor: actorOf(caller), action: 'api_key.rotated', target: kid, details },
      tx,
    );
    return key;
  }

  private async find(tx: EntityManager, { tenantId }: Caller, kid: string): Promise<ApiKey> {
    const key = KID.test(kid) ? await tx.findOneBy(ApiKey, { kid }) : null;
    if (!key || key.revokedAt) throw new AppError('API_KEY_NOT_FOUND');
    if (key.tenantId !== tenantId) throw new AppError('FORBIDDEN');
    return key;
  }
}

function positionFrom(position: string): { at: string; kid: string } {
  const [at = '', kid = ''] = position.split(' ');
  return { at, kid };
}

function toView(key: ApiKey, rotationDue: boolean): ApiKeyView {
  const { kid, env, name, scopes, last4, createdAt, expiresAt, lastUsedAt } = key;
  return {
    ...{ kid, environment: environmentOf(env), name, scopes, scope: scopes.join(' '), last4 },
    createdAt: createdAt.toISOString(),
    rotationDue,
    expiresAt: expiresAt?.toISOString() ?? null,
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  };
}
