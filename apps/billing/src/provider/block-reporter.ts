import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { log } from '@svc/service';
import { DataSource } from 'typeorm';
import { differencesOf, type OurBlock } from './block-differences.js';
import { isRefusal, type StripeProvider } from './stripe-provider.js';

/** A claim lasts longer than a call with all its tries: what is claimed for so long belongs to nobody any more. */
const CLAIM = '90 seconds';

// Times at the provider are real ones, and so are these: a tenant's clock may be moved.
const CLAIM_SQL = `WITH due AS (
    SELECT block.tenant_id, period, number, tried_at IS NOT NULL AS tried, customer_id
    FROM token_block block JOIN subscription USING (tenant_id)
    WHERE by_provider AND item_id IS NULL AND customer_id IS NOT NULL
      AND (tried_at IS NULL OR tried_at < statement_timestamp() - interval '${CLAIM}')
    ORDER BY tried_at NULLS FIRST, recorded_at, number LIMIT 1 FOR UPDATE OF block SKIP LOCKED)
  UPDATE token_block SET tried_at = clock_timestamp() FROM due
  WHERE token_block.tenant_id = due.tenant_id AND token_block.period = due.period AND token_block.number = due.number
  RETURNING token_block.tenant_id AS "tenantId", to_char(token_block.period, 'YYYY-MM') AS month, token_block.number,
    cents, refusals, tried, customer_id AS "customerId", recorded_at - interval '1 day' AS since`;

const REFUSED_SQL = `UPDATE token_block SET refusals = refusals + 1
  WHERE tenant_id = $1 AND period = ($2 || '-01')::date AND number = $3`;

const REPORTED_SQL = `UPDATE token_block SET item_id = $4
  WHERE tenant_id = $1 AND period = ($2 || '-01')::date AND number = $3`;

// An invoice is out after 40 days. A block that is a little older is still read, so that it is not taken for somebody else's.
const COMPARE_SQL = `SELECT tenant_id || ':' || to_char(period, 'YYYY-MM') || ':' || number AS key, cents, item_id AS "itemId",
    item_id IS NOT NULL AND recorded_at > statement_timestamp() - interval '40 days' AS reported,
    clock_timestamp() - interval '41 days' AS since
  FROM token_block WHERE tenant_id = $1 AND recorded_at > statement_timestamp() - interval '45 days'`;

interface DueBlock {
  tenantId: string;
  month: string;
  number: number;
  cents: number;
  /** Times that the provider answered that it failed. */
  refusals: number;
  /** An earlier try may have arrived. */
  tried: boolean;
  customerId: string;
  since: Date;
}

interface ComparedRow extends OurBlock {
  since: Date;
}

/** This class puts each started block on an invoice, once. */
@Injectable()
export class BlockReporter {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Reports the next block that is due; whoever claims it has it for a while. @returns false: there is none. */
  async reportNext(provider: StripeProvider): Promise<boolean> {
    const [[block]] = await this.dataSource.query<[DueBlock[], number]>(CLAIM_SQL);
    if (!block) return false;
    const { tenantId, month, number } = block;
    try {
      await this.report(provider, block);
    } catch (error) {
      if (isRefusal(error)) await this.dataSource.query(REFUSED_SQL, [tenantId, month, number]);
      log().warn({ tenantId, month, block: number, err: error }, 'block not reported, it is tried again');
    }
    return true;
  }

  /**
   * Adds the block as an invoice item, unless an earlier try did. The provider forgets idempotency keys after a day, but not what is
   * on an invoice: after a try it is asked. It keeps failures under a key, too, so each of those makes another one.
   */
  private async report(provider: StripeProvider, block: DueBlock): Promise<void> {
    const { tenantId, month, number, cents, refusals, tried, customerId, since } = block;
    const key = `${tenantId}:${month}:${number}`;
    const items = tried ? await provider.blocksOf(customerId, since) : [];
    const itemId =
      items.find((item) => item.key === key)?.itemId ??
      (await provider.addBlock(customerId, key, cents, refusals));
    await this.dataSource.query(REPORTED_SQL, [tenantId, month, number, itemId]);
  }

  /** Compares ledger and provider. @returns one line for each block on which they differ; it is logged for a person. */
  async compare(provider: StripeProvider, tenantId: string, customerId: string): Promise<string[]> {
    const ours = await this.dataSource.query<ComparedRow[]>(COMPARE_SQL, [tenantId]);
    const [first] = ours;
    const theirs = first ? await provider.blocksOf(customerId, first.since) : [];
    const differences = differencesOf(ours, theirs);
    for (const difference of differences) {
      log().error({ tenantId, difference }, 'ledger and payment provider differ');
    }
    return differences;
  }
}
