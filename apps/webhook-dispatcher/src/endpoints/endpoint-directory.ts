import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { EndpointOrdering, EndpointStatus } from '@svc/contracts';
import { log } from '@svc/service';
import { Repository } from 'typeorm';
import type { Signing } from '../sending/delivery-request.js';
import { Endpoint } from './endpoint.entity.js';
import { domainNow } from './endpoint.repository.js';
import { EndpointSecrets } from './endpoint-secrets.js';

/** What routing and sending need to know about an endpoint. */
export interface Receiver {
  id: string;
  sessionId: string | null;
  url: string;
  events: readonly string[];
  ordering: EndpointOrdering;
  /** Null where a secret of it does not open: nothing can be sent until it does. */
  signing: Signing | null;
  state: EndpointStatus;
  generation: number;
  /** Reactivated, and nothing has been delivered since. */
  recovering: boolean;
}

/** Endpoints of one tenant by id. */
export type Receivers = ReadonlyMap<string, Receiver>;

interface Entry {
  receivers: Promise<Receivers>;
  loadedAtMs: number;
}

/** A change is announced; should the notice be lost, this is how long the old state may live on. */
const MAX_AGE_MS = 5_000;
const MAX_TENANTS = 10_000;

/** Endpoints of the tenants this process delivers for, in memory, secrets opened. */
@Injectable()
export class EndpointDirectory {
  private readonly entries = new Map<string, Entry>();

  constructor(
    @InjectRepository(Endpoint) private readonly endpoints: Repository<Endpoint>,
    private readonly secrets: EndpointSecrets,
  ) {}

  async ofTenant(tenantId: string): Promise<Receivers> {
    for (;;) {
      const entry = this.fresh(tenantId) ?? this.load(tenantId);
      const receivers = await entry.receivers;
      // Forgotten while it was being read: it may show the time before the change that was announced.
      if (this.entries.get(tenantId) === entry) return receivers;
    }
  }

  /** The next question about this tenant goes to the database. */
  forget(tenantId: string): void {
    this.entries.delete(tenantId);
  }

  private fresh(tenantId: string): Entry | undefined {
    const entry = this.entries.get(tenantId);
    return entry && performance.now() - entry.loadedAtMs < MAX_AGE_MS ? entry : undefined;
  }

  private load(tenantId: string): Entry {
    const entry = { receivers: this.read(tenantId), loadedAtMs: performance.now() };
    this.entries.delete(tenantId);
    this.entries.set(tenantId, entry);
    const [oldest] = this.entries.keys();
    if (this.entries.size > MAX_TENANTS && oldest) this.entries.delete(oldest);
    entry.receivers.catch(() => this.entries.get(tenantId) === entry && this.forget(tenantId));
    return entry;
  }

  private async read(tenantId: string): Promise<Receivers> {
    const rows = await this.endpoints.findBy({ tenantId });
    // Only an overlap of secrets depends on it, and that is seldom.
    const rotated = rows.some(({ previousSecrets }) => previousSecrets.length > 0);
    const now = rotated ? await domainNow(this.endpoints.manager, tenantId) : new Date();
    return new Map(rows.map((row) => [row.id, this.toReceiver(row, now)]));
  }

  private toReceiver(row: Endpoint, now: Date): Receiver {
    const { id, sessionId, url, events, ordering, state, generation, recovering } = row;
    const signing = this.signingOf(row, now);
    return { id, sessionId, url, events, ordering, state, generation, recovering, signing };
  }

  /** One row that is damaged must not take the other endpoints of its tenant with it. */
  private signingOf(row: Endpoint, now: Date): Signing | null {
    try {
      return this.secrets.signing(row, now);
    } catch (error) {
      log().error({ endpointId: row.id, err: error }, 'a secret of an endpoint does not open');
      return null;
    }
  }
}
