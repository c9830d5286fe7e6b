import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { type ContactHashKeys, keyedHash, log, PeriodicTasks } from '@svc/service';
import { DataSource } from 'typeorm';
import { LimitsConfig } from '../config.js';

const OLD_HASH_SQL = `SELECT hashtextextended(address, 0)::text AS hash FROM unnest($1::text[]) WITH ORDINALITY AS asked (address, n) ORDER BY n`;

const CONVERT_MS = 60_000;
const BATCH = 500;
const UNKEYED_SQL = `SELECT session_id AS "sessionId", contact::text AS hash FROM warmup_contact WHERE key_version = 0 LIMIT ${BATCH}`;
// A contact who was met under the key already has a row: both become one.
const INTO_ONE_SQL = `INSERT INTO warmup_contact AS own (session_id, tenant_id, contact, sent_at, replied_at, key_version)
  SELECT session_id, tenant_id, after, sent_at, replied_at, $1 FROM gone ORDER BY session_id, after
  ON CONFLICT (session_id, contact) DO UPDATE SET sent_at = greatest(own.sent_at, excluded.sent_at),
    replied_at = greatest(own.replied_at, excluded.replied_at), tenant_id = coalesce(own.tenant_id, excluded.tenant_id)`;
const CONVERT_SQL = `WITH renamed AS (SELECT * FROM unnest($2::uuid[], $3::bigint[], $4::bigint[]) AS renamed (session_id, before, after)),
  gone AS (
    DELETE FROM warmup_contact old USING renamed
    WHERE old.session_id = renamed.session_id AND old.contact = renamed.before AND old.key_version = 0
    RETURNING old.session_id, old.tenant_id, renamed.after, old.sent_at, old.replied_at)
  ${INTO_ONE_SQL}`;
// The other key may be the next one as well: while it is changed, some replicas hash with it already.
const RENAME_SQL = `WITH renamed AS (SELECT DISTINCT * FROM unnest($2::bigint[], $3::bigint[]) AS renamed (before, after)),
  gone AS (
    DELETE FROM warmup_contact old USING renamed WHERE old.contact = renamed.before
    RETURNING old.session_id, old.tenant_id, renamed.after, old.sent_at, old.replied_at)
  ${INTO_ONE_SQL}`;

const ERASE_SQL = 'DELETE FROM warmup_contact WHERE tenant_id = $1 AND contact = ANY($2::bigint[])';

/** A contact as a column has it, under the key of today and under the key before, where there was one. */
interface ContactColumn {
  now: string;
  before: string | null;
}

/**
 * This class hashes contacts with `CONTACT_HASH_KEY`, and converts rows from before there was a key.
 */
@Injectable()
export class ContactHash {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly config: LimitsConfig,
    tasks: PeriodicTasks,
  ) {
    tasks.add('contact hashes', CONVERT_MS, (stopping) => this.convert(stopping));
  }

  get version(): number {
    return this.config.contactHashKeyVersion;
  }

  /** Hashes addresses with the key of today, in their order, and brings what is known of them under it. */
  async bringOver(addresses: string[]): Promise<string[]> {
    const hashed = await this.of(addresses);
    const renamed = hashed.flatMap(({ now, before }) => (before === null ? [] : [{ now, before }]));
    if (renamed.length > 0)
      await this.dataSource.query(RENAME_SQL, [
        this.version,
        renamed.map(({ before }) => before),
        renamed.map(({ now }) => now),
      ]);
    return hashed.map(({ now }) => now);
  }

  /** Hashes addresses, in their order. */
  private async of(addresses: string[]): Promise<ContactColumn[]> {
    const rows = await this.dataSource.query<{ hash: string }[]>(OLD_HASH_SQL, [addresses]);
    return rows.map(({ hash }) => columnOf(this.config, hash));
  }

  /** Deletes the hashes by which a contact of a tenant was counted. @returns how many there were. */
  async erase(tenantId: string, contact: string): Promise<number> {
    await this.convert();
    const hashes = (await this.of([contact])).flatMap(({ now, before }) => (before ? [now, before] : [now]));
    const [, erased] = await this.dataSource.query<[unknown[], number]>(ERASE_SQL, [tenantId, hashes]);
    return erased;
  }

  /** Converts rows from before there was a key. */
  async convert(stopping?: AbortSignal): Promise<void> {
    let total = 0;
    for (let found = BATCH; found === BATCH && !stopping?.aborted; total += found) {
      const rows = await this.dataSource.query<{ sessionId: string; hash: string }[]>(UNKEYED_SQL);
      found = rows.length;
      if (found === 0) break;
      await this.dataSource.query(CONVERT_SQL, [
        this.version,
        rows.map(({ sessionId }) => sessionId),
        rows.map(({ hash }) => hash),
        rows.map(({ hash }) => columnOf(this.config, hash).now),
      ]);
    }
    if (total > 0) log().info({ rows: total }, 'hashes of contacts have a key now');
  }
}

/** Takes the first eight bytes of the keyed hash, as a bigint of PostgreSQL. */
function columnOf(keys: ContactHashKeys, hash: string): ContactColumn {
  const bigint = (keyed: Buffer): string => keyed.readBigInt64BE(0).toString();
  const { now, before } = keyedHash(keys, hash);
  return { now: bigint(now), before: before && bigint(before) };
}
