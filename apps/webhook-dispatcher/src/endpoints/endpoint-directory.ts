import { Injectable, Optional } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Aspect, EndpointOrdering, EndpointStatus } from '@svc/contracts';
import { partitionOf } from '@svc/contracts';
import { log, PeriodicTasks } from '@svc/service';
import { Repository } from 'typeorm';
import { EndpointChanges, MAX_AGE_MS } from '../ownership/endpoint-changes.js';
import type { Signing } from '../signing/signed-post.js';
import { Endpoint } from './endpoint.entity.js';
import { domainNow } from './endpoint.repository.js';
import { EndpointSecrets } from './endpoint-secrets.js';

/** A receiver is what routing and sending need of an endpoint. */
export interface Receiver {
  id: string;
  sessionId: string | null;
  url: string;
  events: readonly string[];
  /** Aspects of events that it hears. */
  hears: readonly Aspect[];
  ordering: EndpointOrdering;
  /** Secrets that sign; null where one does not open: nothing can be sent until it does. */
  signing: Signing | null;
  state: EndpointStatus;
  generation: number;
  /** The endpoint was reactivated, and nothing has been delivered since. */
  recovering: boolean;
  /** The receiver may not know the secret yet: until when; null where it is known to, or has had its time. */
  newSecretUntil: Date | null;
}

/** Endpoints of one tenant by id. */
export type Receivers = ReadonlyMap<string, Receiver>;

interface Entry {
  receivers: Promise<Receivers>;
  /** The same, once they are read. */
  loaded?: Receivers;
  /** Versions of the rows it was read from; undefined where it changes with the time as well. */
  rows: Promise<string | undefined>;
  /** Time of the last comparison of the entry with the database. */
  checkedAtMs: number;
  usedAtMs: number;
}

const CHECK_MS = 2_000;
const UNUSED_MS = 60_000;
/** Most tenants whose endpoints are in memory; beyond it, the tenant that was read first is read again when it is needed. */
export const MAX_TENANTS = 10_000;

// Any change of a row gives it another xmin.
const ROWS_SQL = `SELECT tenant_id AS "tenantId", string_agg(id || '/' || xmin, ' ' ORDER BY id) AS rows
  FROM webhook_endpoint WHERE tenant_id = ANY($1) GROUP BY tenant_id`;

/**
 * The directory caches the endpoints of the tenants this process delivers for, secrets opened. One question for all of them says whose have
 * changed; these are read again.
 */
@Injectable()
export class EndpointDirectory {
  private readonly entries = new Map<string, Entry>();

  constructor(
    @InjectRepository(Endpoint) private readonly endpoints: Repository<Endpoint>,
    private readonly secrets: EndpointSecrets,
    changes: EndpointChanges,
    tasks: PeriodicTasks,
    @Optional() private readonly maxTenants: number = MAX_TENANTS,
  ) {
    changes.events.on('changed', ({ tenantId }) => this.forget(tenantId));
    tasks.add('endpoints', CHECK_MS, () => this.check());
  }

  /** Returns the endpoints in memory; undefined where the database has to be asked. */
  cached(tenantId: string): Receivers | undefined {
    return this.freshEntry(tenantId)?.loaded;
  }

  /** Returns the endpoints of a tenant, from memory or from the database. */
  async ofTenant(tenantId: string): Promise<Receivers> {
    for (;;) {
      const entry = this.freshEntry(tenantId) ?? this.load(tenantId);
      const receivers = await entry.receivers;
      // The entry was dropped while it was being read: it may show the time before the change that was announced.
      if (this.entries.get(tenantId) === entry) return receivers;
    }
  }

  /** Drops a tenant: the next question about it goes to the database. */
  forget(tenantId: string): void {
    this.entries.delete(tenantId);
  }

  /** Forgets all tenants of a partition. */
  forgetPartition(partition: number): void {
    for (const tenantId of this.entries.keys())
      if (partitionOf(tenantId) === partition) this.forget(tenantId);
  }

  private freshEntry(tenantId: string): Entry | undefined {
    const entry = this.entries.get(tenantId);
    const now = performance.now();
    if (!entry || now - entry.checkedAtMs >= MAX_AGE_MS) return undefined;
    entry.usedAtMs = now;
    return entry;
  }

  private load(tenantId: string): Entry {
    const now = performance.now();
    // First the versions: of a change in between, the next check finds another one.
    const versions = this.versions([tenantId]);
    const reading = versions.then(() => this.read(tenantId));
    const entry: Entry = {
      receivers: reading.then(({ receivers }) => receivers),
      rows: Promise.all([versions, reading]).then(([rows, { rotated }]) =>
        rotated ? undefined : (rows.get(tenantId) ?? ''),
      ),
      checkedAtMs: now,
      usedAtMs: now,
    };
    entry.rows.catch(() => undefined); // `receivers` fails with the same error
    this.entries.delete(tenantId);
    this.entries.set(tenantId, entry);
    const [oldest] = this.entries.keys();
    if (this.entries.size > this.maxTenants && oldest) this.entries.delete(oldest);
    entry.receivers.then(
      (receivers) => (entry.loaded = receivers),
      () => this.entries.get(tenantId) === entry && this.forget(tenantId),
    );
    return entry;
  }

  private async check(): Promise<void> {
    const now = performance.now();
    for (const [tenantId, { usedAtMs }] of this.entries)
      if (now - usedAtMs > UNUSED_MS) this.forget(tenantId);
    const entries = [...this.entries];
    if (entries.length === 0) return;
    const versions = await this.versions(entries.map(([tenantId]) => tenantId));
    for (const [tenantId, entry] of entries) {
      const rows = await entry.rows.catch(() => undefined);
      if (rows === undefined) continue;
      if (rows === (versions.get(tenantId) ?? '')) entry.checkedAtMs = Math.max(now, entry.checkedAtMs);
      else if (this.entries.get(tenantId) === entry) this.forget(tenantId);
    }
  }

  private async versions(tenantIds: string[]): Promise<Map<string, string>> {
    const found = await this.endpoints.query<{ tenantId: string; rows: string }[]>(ROWS_SQL, [tenantIds]);
    return new Map(found.map(({ tenantId, rows }) => [tenantId, rows]));
  }

  private async read(tenantId: string): Promise<{ receivers: Receivers; rotated: boolean }> {
    const rows = await this.endpoints.findBy({ tenantId });
    // The answer depends on it only for a while after a rotation, and that is seldom.
    const rotated = rows.some(({ previousSecrets }) => previousSecrets.length > 0);
    const now = rotated ? await domainNow(this.endpoints.manager, tenantId) : new Date();
    return { receivers: new Map(rows.map((row) => [row.id, this.toReceiver(row, now)])), rotated };
  }

  private toReceiver(row: Endpoint, now: Date): Receiver {
    const { id, sessionId, url, events, hears, ordering, state, generation, recovering } = row;
    const newSecretUntil = row.newSecretUntil && row.newSecretUntil > now ? row.newSecretUntil : null;
    const signing = this.signingOf(row, now);
    const fields = { id, sessionId, url, events, hears, ordering, state };
    return { ...fields, generation, recovering, newSecretUntil, signing };
  }

  /** Opens what signs, or logs why it does not open: one row that is damaged must not take the other endpoints of its tenant with it. */
  private signingOf(row: Endpoint, now: Date): Signing | null {
    try {
      return this.secrets.signing(row, now);
    } catch (error) {
      log().error({ endpointId: row.id, err: error }, 'a secret of an endpoint does not open');
      return null;
    }
  }
}
