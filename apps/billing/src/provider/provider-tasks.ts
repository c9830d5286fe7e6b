import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { SubscriptionStatus } from '@svc/contracts';
import { log, PeriodicTasks } from '@svc/service';
import { DataSource } from 'typeorm';
import { BlockReporter } from './block-reporter.js';
import { PROVIDER } from './provider.service.js';
import { ProviderSync } from './provider-sync.js';
import type { StripeProvider } from './stripe-provider.js';

const EVENTS_MS = 1_000;
const BLOCKS_MS = 2_000;
const COMPARE_MS = 5_000;
const BATCH = 20;
const CONCURRENCY = 4;

// Customers whose sync failed, or whose process died. A sync that began less than its longest time ago is left alone: one that
// begins takes the right to write from those before it.
const OPEN_SQL = `SELECT DISTINCT customer_id AS "customerId" FROM provider_event
  LEFT JOIN subscription USING (customer_id)
  WHERE done_at IS NULL AND received_at < statement_timestamp() - interval '2 seconds'
    AND (looked_at IS NULL OR looked_at < statement_timestamp() - interval '45 seconds')
  LIMIT ${BATCH}`;

// The statement claims a tenant once a day of the tenant, in whichever replica comes to it; until it has succeeded, once an hour.
const CLAIM_SQL = `UPDATE subscription SET compared_at = svc_now(tenant_id) - interval '23 hours' WHERE tenant_id IN (
    SELECT tenant_id FROM subscription
    WHERE customer_id IS NOT NULL
      AND (compared_at IS NULL OR compared_at NOT BETWEEN svc_now(tenant_id) - interval '1 day' AND svc_now(tenant_id))
    ORDER BY compared_at NULLS FIRST LIMIT 1 FOR UPDATE SKIP LOCKED)
  RETURNING tenant_id AS "tenantId", customer_id AS "customerId"`;
const COMPARED_SQL = `UPDATE subscription SET compared_at = svc_now(tenant_id) WHERE tenant_id = $1
  RETURNING status, provider_id AS "providerId"`;

interface DueTenant {
  tenantId: string;
  customerId: string;
}

interface SubscriptionRow {
  status: SubscriptionStatus;
  providerId: string | null;
}

/** This class runs the periodic work between us and the payment provider. Without a provider there is none. */
@Injectable()
export class ProviderTasks {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly sync: ProviderSync,
    private readonly blocks: BlockReporter,
    @Inject(PROVIDER) provider: StripeProvider | null,
    tasks: PeriodicTasks,
  ) {
    if (!provider) {
      log().info('billing is manual: no payment provider is configured');
      return;
    }
    tasks.add('provider events', EVENTS_MS, (stopping) => this.syncOpen(provider, stopping));
    tasks.add('token blocks', BLOCKS_MS, (stopping) => this.reportBlocks(provider, stopping));
    tasks.add('comparison with provider', COMPARE_MS, (stopping) => this.compareDue(provider, stopping));
  }

  /** Syncs the customers whose webhooks are not followed up yet. */
  async syncOpen(provider: StripeProvider, stopping?: AbortSignal): Promise<void> {
    const open = await this.dataSource.query<Pick<DueTenant, 'customerId'>[]>(OPEN_SQL);
    const next = async (): Promise<void> => {
      for (let one = open.pop(); one && !stopping?.aborted; one = open.pop()) {
        await this.sync
          .syncCustomer(provider, one.customerId)
          .catch((error: unknown) => log().warn({ err: error }, 'provider not asked, it is tried again'));
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, next));
  }

  /** Puts started blocks on invoices. */
  async reportBlocks(provider: StripeProvider, stopping?: AbortSignal): Promise<void> {
    for (let n = 0; n < BATCH && !stopping?.aborted; n += 1) {
      if (!(await this.blocks.reportNext(provider))) return;
    }
  }

  /** Compares each tenant once a day: mends webhooks that were lost, and holds the ledger against what is on invoices. */
  async compareDue(provider: StripeProvider, stopping?: AbortSignal): Promise<void> {
    for (let n = 0; n < BATCH && !stopping?.aborted; n += 1) {
      const [[due]] = await this.dataSource.query<[DueTenant[], number]>(CLAIM_SQL);
      if (!due) return;
      const { tenantId } = due;
      await this.compare(provider, due).catch((error: unknown) =>
        log().warn({ tenantId, err: error }, 'not compared with the payment provider, it is tried again'),
      );
    }
  }

  private async compare(provider: StripeProvider, { tenantId, customerId }: DueTenant): Promise<void> {
    await this.sync.syncCustomer(provider, customerId);
    await this.blocks.compare(provider, tenantId, customerId);
    const [[row]] = await this.dataSource.query<[SubscriptionRow[], number]>(COMPARED_SQL, [tenantId]);
    const hasEnded = row?.status === 'CANCELED' && row.providerId !== null;
    if (hasEnded && (await provider.invoiceWaiting(customerId))) {
      log().info({ tenantId }, 'what was left to pay is on a last invoice');
    }
  }
}
