import { Injectable } from '@nestjs/common';
import { AppError, type Scope } from '@svc/contracts';
import { DataSource } from 'typeorm';
import { Clearance } from './send-permissions.js';
import type { Caller } from './caller.js';
import { KeyUsage } from './key-usage.js';
import { KeyDigest, type StoredDigest } from './key-digest.js';
import { environmentOf, type KeyEnv, parseKey } from './key-format.js';

/** A key as it stands. */
export interface KeyRow extends StoredDigest {
  tenantId: string;
  env: KeyEnv;
  scopes: Scope[];
  live: boolean;
  /** Until it expires by itself, in ms of its tenant's clock. */
  msLeft: number;
}

// The database decides what time it is: expiry is exact on every replica, and follows the tenant's clock.
const FIND_SQL = `SELECT tenant_id AS "tenantId", digest, pepper_version AS "pepperVersion", env, scopes,
    revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now) AS live,
    coalesce(extract(epoch FROM expires_at - now) * 1000, 'infinity')::float8 AS "msLeft"
  FROM api_key CROSS JOIN LATERAL (SELECT svc_now(tenant_id) AS now OFFSET 0) clock WHERE kid = $1`;

/** Decides who an `Authorization` header belongs to. A key that works is kept for a moment, until it is revoked (`Clearance`). */
@Injectable()
export class KeyVerifier {
  constructor(
    private readonly dataSource: DataSource,
    private readonly digest: KeyDigest,
    private readonly usage: KeyUsage,
    private readonly clearance: Clearance,
  ) {}

  /** @throws AppError `UNAUTHENTICATED`, the same for every cause. */
  async verify(authorization: string | undefined, ip: string): Promise<Caller> {
    const [, key] = /^Bearer +(\S+) *$/i.exec(authorization ?? '') ?? [];
    const parsed = key === undefined ? undefined : parseKey(key);
    if (!parsed) throw new AppError('UNAUTHENTICATED');
    const find = (): Promise<KeyRow[]> => this.dataSource.query(FIND_SQL, [parsed.kid]);
    const [row] = await this.clearance.keys.known(parsed.kid, find);
    const known = this.digest.matches(parsed.body, row ?? null);
    if (!row || !known || !row.live || row.env !== parsed.env) throw new AppError('UNAUTHENTICATED');
    this.usage.note(parsed.kid, ip);
    const { tenantId, scopes, env } = row;
    return { tenantId, kid: parsed.kid, scopes, environment: environmentOf(env) };
  }
}
