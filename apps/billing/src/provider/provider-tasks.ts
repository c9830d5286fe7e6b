import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { log, PeriodicTask } from '@svc/service';
import { DataSource } from 'typeorm';
import { BlockReporter } from './block-reporter.js';
import { PROVIDER } from './provider.service.js';
import { ProviderSync } from './provider-sync.js';
import type { StripeProvider } from './stripe-provider.js';

const EVENTS_MS = 1_000;
const BLOCKS_MS = 2_000;
const COMPARE_MS = 5_000;
const BATCH = 20;

// Those whose look failed, or whose process died; one that another process has just begun is left to it.
const OPEN_SQL = `SELECT DISTINCT customer_id AS "customerId" FROM provider_event
  LEFT JOIN subscription USING (customer_id)
  WHERE done_at IS NULL AND received_at < clock_timestamp() - interval '2 seconds'
    AND (looked_at IS NULL OR looked_at < clock_timestamp() - interval '15 seconds')
  LIMIT ${BATCH}`;

// Once a day of the tenant, whichever replica comes to it.
const CLAIM_SQL = `UPDATE subscription SET compared_at = svc_now(tenant_id) WHERE tenant_id IN (
    SELECT tenant_id FROM subscription
    WHERE customer_id IS NOT NULL
      AND (compared_at IS NULL OR compared_at NOT BETWEEN svc_now(tenant_id) - interval '1 day' AND svc_now(tenant_id))
    ORDER BY compared_at NULLS FIRST LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)
  RETURNING tenant_id AS "tenantId", customer_id AS "customerId"`;

interface Claimed {
  tenantId: string;
  customerId: string;
}

/** What goes on between us and the payment provider without anybody asking. Without one there is nothing to do. */
@Injectable()
export class ProviderTasks implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly tasks: PeriodicTask[];

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly sync: ProviderSync,
    private readonly blocks: BlockReporter,
    @Inject(PROVIDER) provider: StripeProvider | null,
  ) {
    this.tasks = provider
      ? [
          new PeriodicTask('provider events', EVENTS_MS, () => this.lookAgain(provider)),
          new PeriodicTask('token blocks', BLOCKS_MS, () => this.blocks.reportDue(provider)),
          new PeriodicTask('comparison with provider', COMPARE_MS, () => this.compareDue(provider)),
        ]
      : [];
  }

  onApplicationBootstrap(): void {
    if (this.tasks.length === 0) log().info('billing is manual: no payment provider is configured');
    for (const task of this.tasks) task.start();
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all(this.tasks.map((task) => task.stop()));
  }

  /** Looks for what was told, and not found out yet. */
  async lookAgain(provider: StripeProvider): Promise<void> {
    const open = await this.dataSource.query<Pick<Claimed, 'customerId'>[]>(OPEN_SQL);
    for (const { customerId } of open) {
      await this.sync
        .look(provider, customerId)
        .catch((error: unknown) => log().warn({ err: error }, 'provider not asked, it is tried again'));
    }
  }

  /** Once a day for each tenant: heals webhooks that were lost, and compares the ledger with what is on invoices. */
  async compareDue(provider: StripeProvider): Promise<void> {
    const [claimed] = await this.dataSource.query<[Claimed[], number]>(CLAIM_SQL);
    for (const { tenantId, customerId } of claimed) {
      try {
        await this.sync.look(provider, customerId);
        await this.blocks.compare(provider, tenantId, customerId);
      } catch (error) {
        log().warn({ tenantId, err: error }, 'not compared with the payment provider, it is tried again');
        await this.dataSource.query('UPDATE subscription SET compared_at = NULL WHERE tenant_id = $1', [
          tenantId,
        ]);
      }
    }
  }
}
