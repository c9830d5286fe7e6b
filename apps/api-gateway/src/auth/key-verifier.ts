import { Injectable } from '@nestjs/common';
import { AppError } from '@svc/contracts';
import { DataSource } from 'typeorm';
import type { Caller } from './caller.js';
import { KeyDigest, type StoredKey } from './key-digest.js';
import { environmentOf, parseKey } from './key-format.js';
import { KeyUsage } from './key-usage.js';
import { SendPermissions } from './send-permissions.js';

// The database decides what time it is: expiry is exact on every replica, and follows the tenant's clock.
const FIND_SQL = `SELECT tenant_id AS "tenantId", digest, pepper_version AS "pepperVersion", env, scopes,
    revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now) AS live,
    coalesce(extract(epoch FROM expires_at - now) * 1000, 'infinity')::float8 AS "msLeft"
  FROM api_key CROSS JOIN LATERAL (SELECT svc_now(tenant_id) AS now OFFSET 0) clock WHERE kid = $1`;

/** This class decides whose an `Authorization` header is. A key that works is cached for a moment, until it is revoked. */
@Injectable()
export class KeyVerifier {
  constructor(
    private readonly dataSource: DataSource,
    private readonly digest: KeyDigest,
    private readonly usage: KeyUsage,
    private readonly permissions: SendPermissions,
  ) {}

  /** @throws AppError `UNAUTHENTICATED`, the same for every cause. */
  async verify(authorization: string | undefined, ip: string): Promise<Caller> {
    const [, key] = /^Bearer +(\S+) *$/i.exec(authorization ?? '') ?? [];
    const parsed = key === undefined ? undefined : parseKey(key);
    if (!parsed) throw new AppError('UNAUTHENTICATED');
    const find = (): Promise<StoredKey[]> => this.dataSource.query(FIND_SQL, [parsed.kid]);
    const [stored] = await this.permissions.keys.cached(parsed.kid, find);
    const matches = this.digest.matches(parsed.body, stored ?? null);
    if (!stored || !matches || !stored.live || stored.env !== parsed.env)
      throw new AppError('UNAUTHENTICATED');
    this.usage.note(parsed.kid, ip);
    const { tenantId, scopes, env } = stored;
    return { tenantId, kid: parsed.kid, scopes, environment: environmentOf(env) };
  }
}
