import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { type ContactHashKeys, keyedHash, log, PeriodicTasks } from '@svc/service';
import { DataSource } from 'typeorm';
import { LimitsConfig } from '../config.js';

const OLD_HASH_SQL = `SELECT hashtextextended(address, 0)::text AS hash FROM unnest($1::text[]) WITH ORDINALITY AS asked (address, n) ORDER BY n`;

const CONVERT_MS = 60_000;
const BATCH = 500;
const UNKEYED_SQL = `SELECT session_id AS "sessionId", contact::text AS hash FROM warmup_contact WHERE key_version = 0 LIMIT ${BATCH}`;
// A contact who was written to since has a row under the key already: both become one.
const CONVERT_SQL = `WITH renamed AS (SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::bigint[]) AS renamed (session_id, before, after)),
  gone AS (
    DELETE FROM warmup_contact old USING renamed
    WHERE old.session_id = renamed.session_id AND old.contact = renamed.before AND old.key_version = 0
    RETURNING old.session_id, old.tenant_id, renamed.after, old.sent_at, old.replied_at)
  INSERT INTO warmup_contact AS own (session_id, tenant_id, contact, sent_at, replied_at, key_version)
  SELECT session_id, tenant_id, after, sent_at, replied_at, $4 FROM gone ORDER BY session_id, after
  ON CONFLICT (session_id, contact) DO UPDATE SET sent_at = greatest(own.sent_at, excluded.sent_at),
    replied_at = greatest(own.replied_at, excluded.replied_at), tenant_id = coalesce(own.tenant_id, excluded.tenant_id)`;

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

  /** Hashes addresses, in their order. */
  async of(addresses: string[]): Promise<ContactColumn[]> {
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
        rows.map(({ sessionId }) => sessionId),
        rows.map(({ hash }) => hash),
        rows.map(({ hash }) => columnOf(this.config, hash).now),
        this.version,
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
