import { isOfContent, patiently, storable } from '@svc/database';
import { type Fence, FENCE_SQL, fenceParameters, LeaseLostError } from '@svc/ownership';
import { log, refusalWords, UnderWay } from '@svc/service';
import type { DataSource } from 'typeorm';
import { callEvent } from './call-event.js';
import { Arrivals, receivedEvent, withoutContent } from './received-event.js';
import type { InboundCall } from '../platform/calls.js';
import type { InboundRecord, OutgoingMessage } from '../platform/messages.js';
import type { KeyChange, PlatformStore, StanzaEnds } from '../platform/port.js';
import type { EarlyVote } from '../platform/votes.js';
import type { KeyCommit, KeyWriter } from './key-writer.js';
import { credentialRow, type SecretRow, signalKeyRow, type Vault } from '../credentials/vault.js';

/** Session of the secrets, and the lease under which they may be written. */
export interface StoreScope {
  session: { id: string; tenantId: string };
  fence: Fence;
  ends: StanzaEnds;
}

/** Most votes that are told when their poll comes: a group has 1,024 members. */
const MOST_EARLY_VOTES = 2_000;

const SAVE_SQL = `WITH ${FENCE_SQL}
  INSERT INTO credential (session_id, sealed) SELECT $3::uuid, $4::bytea FROM fence
  ON CONFLICT (session_id) DO UPDATE SET sealed = excluded.sealed RETURNING 1`;

const FORGET_SQL = `WITH ${FENCE_SQL},
  keys AS (DELETE FROM signal_key USING fence WHERE session_id = $3::uuid),
  credentials AS (DELETE FROM credential USING fence WHERE session_id = $3::uuid)
  SELECT 1 FROM fence`;

/** Stores a session's credentials, keys and journal in PostgreSQL, sealed at rest and fenced by the lease. */
export class SessionStore implements PlatformStore {
  private readonly writes = new UnderWay();
  private forgotten = false;
  private closed = false;

  private readonly arrivals = new Arrivals();

  constructor(
    private readonly scope: StoreScope,
    private readonly dataSource: DataSource,
    private readonly vault: Vault,
    private readonly keys: KeyWriter,
  ) {}

  get ends(): StanzaEnds {
    return this.scope.ends;
  }

  async loadCredentials(): Promise<Buffer | undefined> {
    const { id } = this.scope.session;
    const [row] = await this.dataSource.query<{ sealed: Buffer }[]>(
      'SELECT sealed FROM credential WHERE session_id = $1',
      [id],
    );
    return row && this.vault.open(this.credentialPlace(), row.sealed);
  }

  /** @throws LeaseLostError */
  async saveCredentials(credentials: Buffer): Promise<void> {
    if (!this.forgotten) await this.writes.add(this.writeCredentials(credentials));
  }

  private async writeCredentials(credentials: Buffer): Promise<void> {
    const { session, fence } = this.scope;
    const sealed = this.vault.seal(this.credentialPlace(), credentials);
    const rows = await this.dataSource.query<unknown[]>(SAVE_SQL, [
      ...fenceParameters([fence]),
      session.id,
      sealed,
    ]);
    if (rows.length === 0) throw new LeaseLostError(fence.partition);
  }

  /** Ends with its runner: nothing of its socket is written any more, the next runner may have read already. */
  async close(): Promise<void> {
    await this.keys.idle(this.scope.session.id);
    this.closed = true;
  }

  /**
   * Forgets credentials and keys: the number is no longer linked.
   * @throws LeaseLostError
   */
  async forget(): Promise<void> {
    // The library still writes while its socket closes; nothing of that may outlive the link.
    this.forgotten = true;
    await this.writes.settled();
    const { session, fence } = this.scope;
    const rows = await this.dataSource.query<unknown[]>(FORGET_SQL, [
      ...fenceParameters([fence]),
      session.id,
    ]);
    if (rows.length === 0) throw new LeaseLostError(fence.partition);
  }

  /** Reads keys, once what a former socket of the session is still writing is there. */
  async get(type: string, ids: string[]): Promise<Record<string, Buffer>> {
    await this.keys.idle(this.scope.session.id);
    // The names of keys may come from outside, e.g. the address of a sender.
    const names = new Map(ids.map((id) => [storable(id), id]));
    const rows = await this.read<{ key_id: string; sealed: Buffer }>(
      'SELECT key_id, sealed FROM signal_key WHERE session_id = $1 AND type = $2 AND key_id = ANY($3::text[])',
      [this.scope.session.id, type, [...names.keys()]],
    );
    return Object.fromEntries(
      rows.map(({ key_id, sealed }) => [
        names.get(key_id) ?? key_id,
        this.vault.open(this.keyPlace(type, key_id), sealed),
      ]),
    );
  }

  /** @throws LeaseLostError */
  async commit(changes: KeyChange[], inbound: InboundRecord[]): Promise<void> {
    if (this.closed) throw new Error('The runner has ended.');
    if (!this.forgotten) return this.writes.add(this.write(changes, inbound));
    // Keys of a link that has ended are no loss; a message would be acknowledged and gone.
    if (inbound.length > 0) throw new Error('The session is logged out.');
  }

  /**
   * Writes a commit; messages that cannot be written for their content's sake are journaled without it, and those of which no event can be
   * written at all without one: as poison they would end every connection.
   */
  private async write(changes: KeyChange[], inbound: InboundRecord[]): Promise<void> {
    const records = storable(inbound);
    const steps = [
      { records, otherwise: 'messages are told without their content' },
      { records: records.map(withoutContent), otherwise: 'messages are not told: their events are refused' },
    ];
    for (const step of steps) {
      try {
        return await this.writeAll(changes, step.records);
      } catch (error) {
        if (inbound.length === 0 || !isOfContent(error)) throw error;
        const { id: sessionId } = this.scope.session;
        const fields = { sessionId, messages: inbound.length, err: error, words: refusalWords(error) };
        log().error(fields, step.otherwise);
      }
    }
    await this.writeAll(
      changes,
      records.map((record) => ({ ...record, content: undefined, vote: undefined, location: undefined })),
    );
  }

  private async writeAll(changes: KeyChange[], inbound: InboundRecord[]): Promise<void> {
    const { session, fence } = this.scope;
    const journal = inbound.map((record) => {
      const at = this.arrivals.next();
      const awaitsFile = record.content?.file === 'FETCHABLE';
      return { record, at, event: receivedEvent(record, session, at), awaitsFile };
    });
    await this.keys.commit({ sessionId: session.id, fence, ...this.split(changes), inbound: journal });
  }

  async journaled(sender: string, keyId: string): Promise<Uint8Array | undefined> {
    const [row] = await this.read<{ plaintext: Buffer }>(
      'SELECT plaintext FROM inbound_message WHERE session_id = $1 AND sender = $2 AND key_id = $3',
      [this.scope.session.id, sender, keyId],
    );
    return row?.plaintext;
  }

  async journaledOf(
    senders: string[],
    keyId: string,
  ): Promise<{ sender: string; plaintext: Buffer } | undefined> {
    const [row] = await this.read<{ sender: string; plaintext: Buffer }>(
      'SELECT sender, plaintext FROM inbound_message WHERE session_id = $1 AND sender = ANY($2::text[]) AND key_id = $3',
      [this.scope.session.id, senders, keyId],
    );
    return row;
  }

  /** @throws LeaseLostError */
  async called(call: InboundCall): Promise<void> {
    const { session, fence } = this.scope;
    await this.writes.add(this.keys.tell(fence, callEvent(storable(call), session)));
  }

  async keepEarlyVote(pollKeyId: string, { sender, keyId, attrs }: EarlyVote): Promise<void> {
    await this.read(
      `INSERT INTO early_vote (session_id, poll_key_id, sender, key_id, attrs) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT DO NOTHING`,
      [this.scope.session.id, pollKeyId, sender, keyId, attrs],
    );
  }

  earlyVotes(pollKeyId: string): Promise<(EarlyVote & { plaintext: Uint8Array })[]> {
    return this.read(
      `SELECT v.sender, v.key_id AS "keyId", v.attrs, i.plaintext FROM early_vote v
       JOIN inbound_message i USING (session_id, sender, key_id)
       WHERE v.session_id = $1 AND v.poll_key_id = $2 ORDER BY v.received_at LIMIT ${MOST_EARLY_VOTES}`,
      [this.scope.session.id, pollKeyId],
    );
  }

  async sent(keyId: string): Promise<(OutgoingMessage & { jobId: string }) | undefined> {
    const [row] = await this.read<OutgoingMessage & { jobId: string }>(
      `SELECT job_id AS "jobId", to_jid AS "to", key_id AS "keyId", content, accepted_at AS "acceptedAt", secret, uploaded
       FROM outbound_message WHERE session_id = $1 AND key_id = $2`,
      [this.scope.session.id, keyId],
    );
    return row;
  }

  private read<T>(sql: string, parameters: unknown[]): Promise<T[]> {
    // The platform library takes a failed read for an unreadable message and refuses it; the platform then keeps the
    // message until the next login.
    return patiently(() => this.dataSource.query<T[]>(sql, storable(parameters)));
  }

  private split(changes: KeyChange[]): Pick<KeyCommit, 'puts' | 'deletes'> {
    const split: Pick<KeyCommit, 'puts' | 'deletes'> = { puts: [], deletes: [] };
    for (const { type, id, value } of changes) {
      const keyId = storable(id);
      if (value === null) split.deletes.push({ type, keyId });
      else split.puts.push({ type, keyId, sealed: this.vault.seal(this.keyPlace(type, keyId), value) });
    }
    return split;
  }

  private keyPlace(type: string, keyId: string): SecretRow {
    return signalKeyRow(this.scope.session.id, type, keyId);
  }

  private credentialPlace(): SecretRow {
    return credentialRow(this.scope.session.id);
  }
}
