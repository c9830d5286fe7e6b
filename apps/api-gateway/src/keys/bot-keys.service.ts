import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AuditService } from '../audit/audit.service.js';
import { SendPermissions } from '../auth/send-permissions.js';
import { LOCK_TENANTS_SQL } from '../limits/quotas.service.js';
import { type KeyOrder, KeyRows, type MadeKey } from './key-rows.service.js';
import { IS_ENDLESS_ADMIN } from './last-admin-key.js';

const OF_BOT = `tenant_id = $1 AND session_id = $2 AND revoked_at IS NULL
  AND (expires_at IS NULL OR expires_at > (SELECT svc_now($1)))`;

/** Keys that one answer names at most. */
const NAMED = 100;
const LIST_SQL = `SELECT kid FROM api_key WHERE ${OF_BOT} ORDER BY created_at DESC, kid DESC LIMIT ${NAMED}`;

// One live key that may do everything and has no end stays with every tenant: of this session only where no other has one, and then the
// one that was used last.
const END_SQL = `UPDATE api_key SET revoked_at = svc_now(tenant_id) WHERE ${OF_BOT} AND kid IS DISTINCT FROM (
    SELECT kid FROM api_key WHERE tenant_id = $1 AND env = 'live' AND ${IS_ENDLESS_ADMIN}
    ORDER BY session_id IS NOT DISTINCT FROM $2, last_used_at DESC NULLS LAST, created_at DESC LIMIT 1)
  RETURNING kid, name`;

/** A session of a tenant. */
interface BotOf {
  tenantId: string;
  sessionId: string;
}

/** This class makes the keys that are handed out for the bots of sessions, and ends them with their sessions. */
@Injectable()
export class BotKeys {
  constructor(
    private readonly dataSource: DataSource,
    private readonly rows: KeyRows,
    private readonly audit: AuditService,
    private readonly permissions: SendPermissions,
  ) {}

  /**
   * Makes a key for the bot of a session, beside those that were made for it before.
   * @returns the key, and the kids of the earlier ones that work, newest first
   * @throws AppError `QUOTA_CONFLICT`
   */
  async make(order: KeyOrder & BotOf): Promise<{ key: MadeKey; earlier: string[] }> {
    const { tenantId, sessionId } = order;
    const earlier = await this.dataSource.query<{ kid: string }[]>(LIST_SQL, [tenantId, sessionId]);
    return { key: await this.rows.makeBeside(order), earlier: earlier.map(({ kid }) => kid) };
  }

  /** Revokes the keys of a session that is deleted, and what has replaced them; a repeat finds none. */
  async end({ tenantId, sessionId }: BotOf, actor: string): Promise<void> {
    const isAny = await this.dataSource.transaction(async (tx) => {
      await tx.query(LOCK_TENANTS_SQL, [[tenantId]]);
      // TypeORM answers UPDATE … RETURNING with [rows, count].
      const [ended] = await tx.query<[{ kid: string; name: string }[], number]>(END_SQL, [
        tenantId,
        sessionId,
      ]);
      for (const { kid: target, name } of ended) {
        const fact = { tenantId, actor, action: 'api_key.revoked', target };
        await this.audit.write({ ...fact, details: { name, sessionId } }, tx);
      }
      return ended.length > 0;
    });
    if (isAny) this.permissions.invalidate(tenantId);
  }
}
