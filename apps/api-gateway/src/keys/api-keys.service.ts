import { Injectable } from '@nestjs/common';
import {
  type ApiKeyView,
  AppError,
  type CheckedApiKeys,
  type CreateApiKeyBody,
  invalidField,
  type NewApiKey,
  type Page,
  type PageQuery,
} from '@svc/contracts';
import { DataSource } from 'typeorm';
import { parseKey } from '../auth/api-key.js';
import { actorOf, type Caller } from '../auth/authorization.js';
import { SendPermissions } from '../auth/send-permissions.js';
import { QuotasService } from '../limits/quotas.service.js';
import { Cursors, DEFAULT_LIMIT } from '../paging/cursor.js';
import { SandboxesService } from '../tenants/sandboxes.service.js';
import { assertAdmin, KeyRotations } from './key-rotations.service.js';
import { KeyRows, timeIn, toView } from './key-rows.service.js';
import { keepAdminKey } from './last-admin-key.js';

// Domain time, asked for once; rotation every 90 days is recommended (specification, "Authentication").
const ROTATION_DUE = `key.created_at < (SELECT svc_now(:tenantId)) - interval '90 days'`;

/** This class makes, replaces, lists and revokes the keys of a tenant. */
@Injectable()
export class ApiKeysService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly rows: KeyRows,
    private readonly rotations: KeyRotations,
    private readonly cursors: Cursors,
    private readonly sandboxes: SandboxesService,
    private readonly permissions: SendPermissions,
    private readonly quotas: QuotasService,
  ) {}

  create(caller: Caller, body: CreateApiKeyBody): Promise<NewApiKey> {
    const { environment = caller.environment } = body;
    return environment === caller.environment ? this.createHere(caller, body) : this.createTest(caller, body);
  }

  /**
   * Makes a key of the sandbox with a live one. The other way is closed: a test key, which lies in many places, would open them all.
   * @throws AppError `LIVE_ONLY`
   */
  private async createTest(caller: Caller, { rotates, ...body }: CreateApiKeyBody): Promise<NewApiKey> {
    if (caller.environment === 'TEST') throw new AppError('LIVE_ONLY', 'A test key makes no live keys.');
    assertAdmin(caller);
    const { manager } = this.dataSource;
    if (rotates) {
      await this.rows.find(manager, caller.tenantId, rotates);
      throw invalidField('rotates', 'rotates must be null: a key of the sandbox replaces no live key');
    }
    const actor = actorOf(caller);
    const tenantId = await this.sandboxes.of(caller.tenantId, actor);
    const { name = 'Test key', scopes = ['*' as const], expiresInDays: days } = body;
    const expiresAt = days ? await timeIn(manager, tenantId, days) : null;
    return { ...(await this.rows.makeBeside({ tenantId, name, scopes, expiresAt, actor })), rotated: null };
  }

  private async createHere(caller: Caller, body: CreateApiKeyBody): Promise<NewApiKey> {
    const { tenantId } = caller;
    const { name } = body;
    const most = await this.quotas.most(tenantId, 'keys');
    const { made, ended } = await this.dataSource.transaction((tx) =>
      keepAdminKey(tx, caller, async () => {
        const { old, ...wish } = await this.rotations.wishOf(tx, caller, body);
        if (old) return this.rotations.replace(tx, caller, old, { name, ...wish });
        await this.quotas.assertRoom(tx, tenantId, 'keys', most);
        const order = { tenantId, name: name ?? 'API key', actor: actorOf(caller) };
        const key = await this.rows.make(tx, { ...order, scopes: wish.scopes, expiresAt: wish.end });
        return { made: { ...key, rotated: null }, ended: [] };
      }),
    );
    for (const kid of ended) this.permissions.invalidate(kid);
    return made;
  }

  async list({ tenantId }: Caller, { limit = DEFAULT_LIMIT, before }: PageQuery): Promise<Page<ApiKeyView>> {
    const list = `api-keys:${tenantId}`;
    const query = this.rows.listed(this.dataSource.manager, tenantId).addSelect(ROTATION_DUE, 'rotation_due');
    const last = this.cursors.decode(list, before);
    if (last) query.andWhere('(key.created_at, key.kid) < (:at, :kid)', positionFrom(last));
    const { entities, raw } = await query.limit(limit + 1).getRawAndEntities<{ rotation_due: boolean }>();
    const rows = entities.map((key, i) => toView(key, raw[i]?.rotation_due === true));
    return this.cursors.page(list, rows, limit, ({ createdAt, kid }) => `${createdAt} ${kid}`);
  }

  /** Checks the form of keys and asks nobody: the answer is the same for a key that works, one that is revoked and one that never was. */
  check(candidates: string[]): CheckedApiKeys {
    return { items: candidates.map((candidate) => ({ isKey: parseKey(candidate) !== undefined })) };
  }

  /**
   * Revokes a key. It is in force here when this returns, on the other replicas when the notice has come or their cache has ended.
   * @throws AppError `API_KEY_NOT_FOUND`, `LAST_ADMIN_KEY`
   */
  async revoke(caller: Caller, kid: string): Promise<void> {
    await this.dataSource.transaction((tx) =>
      keepAdminKey(tx, caller, async () => {
        const key = await this.rows.find(tx, caller.tenantId, kid);
        await this.rows.revoke(tx, key, actorOf(caller));
      }),
    );
    this.permissions.invalidate(kid);
  }
}

function positionFrom(position: string): { at: string; kid: string } {
  const [at = '', kid = ''] = position.split(' ');
  return { at, kid };
}
