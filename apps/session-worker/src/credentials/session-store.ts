import type { Envelope } from '@svc/contracts';
import type { DataSource } from 'typeorm';
import { receivedEvent } from '../inbound/received-event.js';
import { type OutboxService, outboxRows } from '../outbox/outbox.service.js';
import { type Fence, FENCE_SQL, fenceParameters, LeaseLostError } from '../ownership/fence.js';
import { type Credentials, deserialize, serialize } from '../platform/library/credentials.js';
import type { InboundRecord, KeyChanges, KeyValues, PlatformStore } from '../platform/platform.js';
import { patiently } from '../database-patience.js';
import type { Vault } from './vault.js';

/** Which session's secrets, and under which lease they may be written. */
export interface StoreScope {
  session: { id: string; tenantId: string };
  fence: Fence;
}

/** One statement, one round trip, one transaction: keys, journal and outbox stand or fall together with the lease. */
const COMMIT_SQL = `${FENCE_SQL},
  kept AS (INSERT INTO signal_key (session_id, type, key_id, sealed)
    SELECT $4::uuid, k.type, k.key_id, k.sealed
    FROM fence, unnest($5::text[], $6::text[], $7::bytea[]) AS k (type, key_id, sealed)
    ON CONFLICT (session_id, type, key_id) DO UPDATE SET sealed = excluded.sealed),
  gone AS (DELETE FROM signal_key USING fence, unnest($8::text[], $9::text[]) AS d (type, key_id)
    WHERE signal_key.session_id = $4::uuid AND signal_key.type = d.type AND signal_key.key_id = d.key_id),
  journaled AS (INSERT INTO inbound_message (session_id, sender, key_id, plaintext)
    SELECT $4::uuid, m.sender, m.key_id, m.plaintext
    FROM fence, unnest($10::text[], $11::text[], $12::bytea[]) AS m (sender, key_id, plaintext)
    ON CONFLICT DO NOTHING RETURNING key_id),
  told AS (INSERT INTO event_outbox (id, envelope)
    SELECT e.id, e.envelope FROM unnest($13::uuid[], $14::jsonb[], $15::text[]) AS e (id, envelope, key_id)
    JOIN journaled USING (key_id) RETURNING id)
  SELECT (SELECT count(*)::int FROM fence) AS fenced, (SELECT array_agg(id) FROM told) AS told`;

const SAVE_SQL = `${FENCE_SQL}
  INSERT INTO credential (session_id, sealed) SELECT $4::uuid, $5::bytea FROM fence
  ON CONFLICT (session_id) DO UPDATE SET sealed = excluded.sealed RETURNING 1`;

const FORGET_SQL = `${FENCE_SQL},
  keys AS (DELETE FROM signal_key USING fence WHERE session_id = $4::uuid),
  credentials AS (DELETE FROM credential USING fence WHERE session_id = $4::uuid)
  SELECT 1 FROM fence`;

/** A session's credentials, Signal keys and journal in PostgreSQL, sealed at rest and fenced by the lease. */
export class SessionStore implements PlatformStore {
  private readonly writes = new Set<Promise<void>>();
  private forgotten = false;

  constructor(
    private readonly scope: StoreScope,
    private readonly dataSource: DataSource,
    private readonly vault: Vault,
    private readonly outbox: OutboxService,
  ) {}

  async loadCredentials(): Promise<Credentials | undefined> {
    const { id } = this.scope.session;
    const [row] = await this.dataSource.query<{ sealed: Buffer }[]>(
      'SELECT sealed FROM credential WHERE session_id = $1',
      [id],
    );
    return row && (deserialize(this.vault.open(this.credentialPlace(), row.sealed)) as Credentials);
  }

  /** @throws LeaseLostError */
  async saveCredentials(credentials: Credentials): Promise<void> {
    if (!this.forgotten) await this.track(this.writeCredentials(credentials));
  }

  private async writeCredentials(credentials: Credentials): Promise<void> {
    const { session, fence } = this.scope;
    const sealed = this.vault.seal(this.credentialPlace(), serialize(credentials));
    const rows = await this.dataSource.query<unknown[]>(SAVE_SQL, [
      ...fenceParameters(fence),
      session.id,
      sealed,
    ]);
    if (rows.length === 0) throw new LeaseLostError(fence.partition);
  }

  /**
   * Forgets credentials and keys: the number is no longer linked.
   * @throws LeaseLostError
   */
  async forget(): Promise<void> {
    // The library still writes while its socket closes; nothing of that may outlive the link.
    this.forgotten = true;
    await Promise.allSettled(this.writes);
    const { session, fence } = this.scope;
    const rows = await this.dataSource.query<unknown[]>(FORGET_SQL, [...fenceParameters(fence), session.id]);
    if (rows.length === 0) throw new LeaseLostError(fence.partition);
  }

  async get(type: string, ids: string[]): Promise<KeyValues> {
    const rows = await this.read<{ key_id: string; sealed: Buffer }>(
      'SELECT key_id, sealed FROM signal_key WHERE session_id = $1 AND type = $2 AND key_id = ANY($3::text[])',
      [this.scope.session.id, type, ids],
    );
    return Object.fromEntries(rows.map(({ key_id, sealed }) => [key_id, this.openKey(type, key_id, sealed)]));
  }

  /** @throws LeaseLostError */
  async commit(changes: KeyChanges, inbound: InboundRecord[]): Promise<void> {
    if (!this.forgotten) return this.track(patiently(() => this.write(changes, inbound)));
    // Keys of a link that has ended are nobody's loss; a message would be acknowledged and gone.
    if (inbound.length > 0) throw new Error('The session is logged out.');
  }

  private async track(write: Promise<void>): Promise<void> {
    this.writes.add(write);
    await write.finally(() => this.writes.delete(write));
  }

  private async write(changes: KeyChanges, inbound: InboundRecord[]): Promise<void> {
    const { session, fence } = this.scope;
    const { kept, gone } = this.split(changes);
    const events = inbound.map((record) => receivedEvent(record, session));
    const told = events.filter((event) => event !== undefined);
    const toldKeys = inbound.filter((_, i) => events[i]).map((record) => record.keyId);
    const { ids, envelopes } = outboxRows(told);
    const [row] = await this.dataSource.query<{ fenced: number; told: string[] | null }[]>(COMMIT_SQL, [
      ...fenceParameters(fence),
      session.id,
      ...kept,
      ...gone,
      inbound.map((record) => record.sender),
      inbound.map((record) => record.keyId),
      inbound.map((record) => Buffer.from(record.plaintext)),
      ids,
      envelopes,
      toldKeys,
    ]);
    if (!row?.fenced) throw new LeaseLostError(fence.partition);
    this.publish(told, row.told ?? []);
  }

  async journaled(sender: string, keyId: string): Promise<Uint8Array | undefined> {
    const [row] = await this.read<{ plaintext: Buffer }>(
      'SELECT plaintext FROM inbound_message WHERE session_id = $1 AND sender = $2 AND key_id = $3',
      [this.scope.session.id, sender, keyId],
    );
    return row?.plaintext;
  }

  async sentText(keyId: string): Promise<string | undefined> {
    const [row] = await this.read<{ text: string }>(
      `SELECT content ->> 'text' AS text FROM outbound_message WHERE session_id = $1 AND key_id = $2`,
      [this.scope.session.id, keyId],
    );
    return row?.text;
  }

  private read<T>(sql: string, parameters: unknown[]): Promise<T[]> {
    return patiently(() => this.dataSource.query<T[]>(sql, parameters));
  }

  private publish(events: Envelope[], fresh: string[]): void {
    const ids = new Set(fresh);
    this.outbox.publish(events.filter((event) => ids.has(event.id)));
  }

  private split(changes: KeyChanges): { kept: [string[], string[], Buffer[]]; gone: [string[], string[]] } {
    const kept: [string[], string[], Buffer[]] = [[], [], []];
    const gone: [string[], string[]] = [[], []];
    for (const [type, values] of Object.entries(changes)) {
      for (const [keyId, value] of Object.entries(values ?? {})) {
        const [types, keyIds] = value === null || value === undefined ? gone : kept;
        types.push(type);
        keyIds.push(keyId);
        if (value !== null && value !== undefined) kept[2].push(this.sealKey(type, keyId, value));
      }
    }
    return { kept, gone };
  }

  private sealKey(type: string, keyId: string, value: unknown): Buffer {
    return this.vault.seal(this.keyPlace(type, keyId), serialize(value));
  }

  private openKey(type: string, keyId: string, sealed: Buffer): unknown {
    return deserialize(this.vault.open(this.keyPlace(type, keyId), sealed), type);
  }

  private keyPlace(type: string, keyId: string): { sessionId: string; table: 'signal_key'; row: string } {
    return { sessionId: this.scope.session.id, table: 'signal_key', row: `${type}|${keyId}` };
  }

  private credentialPlace(): { sessionId: string; table: 'credential'; row: string } {
    return { sessionId: this.scope.session.id, table: 'credential', row: 'credentials' };
  }
}
