import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { AppError } from '@svc/contracts';
import { togetherOrAlone } from '@svc/database';
import { log, PeriodicTasks, refusalWords } from '@svc/service';
import { DataSource } from 'typeorm';
import type { Caller } from './authorization.js';
import {
  environmentOf,
  KeyDigest,
  type ParsedKey,
  parseKey,
  type StoredDigest,
  type StoredKey,
} from './api-key.js';
import { SendPermissions } from './send-permissions.js';

const FLUSH_MS = 60_000;

// The time is domain time, like the other times of a key.
const FLUSH_SQL = `UPDATE api_key SET last_used_at = own.at, last_used_ip = own.ip
  FROM (
    SELECT kid, ip, used.at + (svc_now(tenant_id) - clock_timestamp()) AS at
    FROM unnest($1::text[], $2::timestamptz[], $3::text[]) AS used (kid, at, ip) JOIN api_key USING (kid)) own
  WHERE api_key.kid = own.kid AND (last_used_at IS NULL OR last_used_at < own.at)`;

// Under the lock of the row: a key that was never used may be ended by whoever replaces its predecessor once more.
const FIRST_USE_SQL = `UPDATE api_key SET last_used_at = coalesce(last_used_at, svc_now(tenant_id)), last_used_ip = coalesce(last_used_ip, $2)
  WHERE kid = $1 AND revoked_at IS NULL RETURNING kid`;

const REHASH_SQL =
  'UPDATE api_key SET digest = $2, pepper_version = $3 WHERE kid = $1 AND pepper_version < $3';

/** Use of a key, by its id. */
type Use = [kid: string, use: { at: Date; ip: string }];

/** This class remembers when keys were used and writes it once a minute: never a write per request, but for the first of a key. */
@Injectable()
export class KeyUsage implements OnModuleDestroy {
  private readonly used = new Map<string, { at: Date; ip: string }>();

  constructor(
    private readonly dataSource: DataSource,
    tasks: PeriodicTasks,
  ) {
    tasks.add('key-usage', FLUSH_MS, () => this.flush());
  }

  async onModuleDestroy(): Promise<void> {
    await this.flush();
  }

  note(kid: string, ip: string): void {
    this.used.set(kid, { at: new Date(), ip });
  }

  /**
   * Writes the first use of a key before its request goes on.
   * @returns false where the key was revoked meanwhile. One whose use cannot be written works all the same.
   */
  async begin(kid: string, ip: string): Promise<boolean> {
    try {
      // TypeORM answers UPDATE … RETURNING with [rows, count].
      const [rows] = await this.dataSource.query<[object[], number]>(FIRST_USE_SQL, [kid, ip]);
      return rows.length > 0;
    } catch (error) {
      log().error({ kid, err: error, words: refusalWords(error) }, 'the first use of a key is not written');
      return true;
    }
  }

  /** Writes the digest of a key under the newest pepper, so that the one before can go. One that cannot be written works all the same. */
  async rehash(kid: string, { digest, pepperVersion }: StoredDigest): Promise<void> {
    try {
      await this.dataSource.query(REHASH_SQL, [kid, digest, pepperVersion]);
    } catch (error) {
      log().error(
        { kid, err: error, words: refusalWords(error) },
        'the digest of a key stays under the pepper before',
      );
    }
  }

  async flush(): Promise<void> {
    await togetherOrAlone(
      [...this.used],
      (used) => this.write(used),
      (one, error) => {
        // One that is refused is dropped, too: it would be so every minute.
        log().error({ kid: one[0], err: error, words: refusalWords(error) }, 'use of a key is not written');
        this.drop([one]);
      },
    );
  }

  private async write(used: Use[]): Promise<void> {
    const columns = [used.map(([kid]) => kid), used.map(([, u]) => u.at), used.map(([, u]) => u.ip)];
    await this.dataSource.query(FLUSH_SQL, columns);
    this.drop(used);
  }

  /** Drops uses; one that was noted again meanwhile stays. */
  private drop(used: Use[]): void {
    for (const [kid, use] of used) if (this.used.get(kid) === use) this.used.delete(kid);
  }
}

// The database decides what time it is: expiry is exact on every replica, and follows the tenant's clock.
const FIND_SQL = `SELECT tenant_id AS "tenantId", digest, pepper_version AS "pepperVersion", env, scopes,
    revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now) AS live, last_used_at IS NOT NULL AS "isUsed",
    coalesce(extract(epoch FROM expires_at - now) * 1000, 'infinity')::float8 AS "msLeft", suspended_at IS NOT NULL AS suspended
  FROM api_key JOIN tenant ON tenant.id = tenant_id CROSS JOIN LATERAL (SELECT svc_now(tenant_id) AS now OFFSET 0) clock WHERE kid = $1`;

/** This class decides whose an `Authorization` header is. A key that works is cached for a moment, until it is revoked. */
@Injectable()
export class KeyVerifier {
  constructor(
    private readonly dataSource: DataSource,
    private readonly digest: KeyDigest,
    private readonly usage: KeyUsage,
    private readonly permissions: SendPermissions,
  ) {}

  /** @throws AppError `UNAUTHENTICATED`, the same for every cause; or `TENANT_SUSPENDED` of a key that works. */
  async verify(authorization: string | undefined, ip: string): Promise<Caller> {
    const parsed = keyIn(authorization);
    if (!parsed) throw new AppError('UNAUTHENTICATED');
    const find = (): Promise<StoredKey[]> => this.dataSource.query(FIND_SQL, [parsed.kid]);
    const [stored] = await this.permissions.keys.cached(parsed.kid, find);
    const matches = this.digest.matches(parsed.body, stored ?? null);
    if (!stored || !matches || !stored.live || stored.env !== parsed.env)
      throw new AppError('UNAUTHENTICATED');
    if (stored.suspended) throw new AppError('TENANT_SUSPENDED');
    if (!stored.isUsed) await this.begin(parsed.kid, ip);
    if (this.digest.isOld(stored)) await this.rehash(parsed);
    this.usage.note(parsed.kid, ip);
    const { tenantId, scopes, env } = stored;
    return { tenantId, kid: parsed.kid, scopes, environment: environmentOf(env) };
  }

  private async rehash({ kid, body }: ParsedKey): Promise<void> {
    await this.usage.rehash(kid, this.digest.make(body));
    this.permissions.keys.invalidate(kid);
  }

  private async begin(kid: string, ip: string): Promise<void> {
    if (!(await this.usage.begin(kid, ip))) throw new AppError('UNAUTHENTICATED');
    this.permissions.keys.invalidate(kid); // it is used from now on
  }
}

function keyIn(authorization = ''): ParsedKey | undefined {
  const [, key] = /^Bearer +(\S+) *$/i.exec(authorization) ?? [];
  return key === undefined ? undefined : parseKey(key);
}
