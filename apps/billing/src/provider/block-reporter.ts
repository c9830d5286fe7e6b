import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { log } from '@svc/service';
import { DataSource } from 'typeorm';
import type { BlockItem, StripeProvider } from './stripe-provider.js';

const BATCH = 20;
/** Longer than a call with all its tries takes: what is claimed for so long belongs to nobody any more. */
const CLAIM = '60 seconds';
const CLAIM_SQL = `WITH due AS (
    SELECT block.tenant_id, period, number, tried_at IS NOT NULL AS tried, customer_id, started_at
    FROM token_block block JOIN subscription USING (tenant_id)
    WHERE by_provider AND item_id IS NULL AND customer_id IS NOT NULL
      AND (tried_at IS NULL OR tried_at < clock_timestamp() - interval '${CLAIM}')
    ORDER BY started_at, number LIMIT ${BATCH} FOR UPDATE OF block SKIP LOCKED)
  UPDATE token_block SET tried_at = clock_timestamp() FROM due
  WHERE token_block.tenant_id = due.tenant_id AND token_block.period = due.period AND token_block.number = due.number
  RETURNING token_block.tenant_id AS "tenantId", to_char(token_block.period, 'YYYY-MM') AS month, token_block.number,
    cents, tried, customer_id AS "customerId", token_block.started_at - interval '1 day' AS since`;

const REPORTED_SQL = `UPDATE token_block SET item_id = $4
  WHERE tenant_id = $1 AND period = ($2 || '-01')::date AND number = $3`;

// An invoice is out after 40 days. What is a little older is known still, so that it is not taken for somebody else's.
const COMPARE_SQL = `SELECT tenant_id || ':' || to_char(period, 'YYYY-MM') || ':' || number AS key, cents, item_id AS "itemId",
    item_id IS NOT NULL AND started_at > svc_now($1) - interval '40 days' AS reported,
    svc_now($1) - interval '41 days' AS since
  FROM token_block WHERE tenant_id = $1 AND started_at > svc_now($1) - interval '45 days'`;

interface Claimed {
  tenantId: string;
  month: string;
  number: number;
  cents: number;
  /** An earlier try may have arrived. */
  tried: boolean;
  customerId: string;
  since: Date;
}

interface Compared extends BlockItem {
  reported: boolean;
  since: Date;
}

/** Puts each started block on an invoice, once. */
@Injectable()
export class BlockReporter {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Those that are due; whoever claims a block has it for a minute. */
  async reportDue(provider: StripeProvider): Promise<void> {
    const [claimed] = await this.dataSource.query<[Claimed[], number]>(CLAIM_SQL);
    for (const block of claimed) {
      await this.report(provider, block).catch((error: unknown) =>
        log().warn(
          { tenantId: block.tenantId, month: block.month, block: block.number, err: error },
          'block not reported, it is tried again',
        ),
      );
    }
  }

  /** The provider forgets idempotency keys after a day, what is on an invoice it does not: after a try it is asked. */
  private async report(provider: StripeProvider, block: Claimed): Promise<void> {
    const { tenantId, month, number, cents, tried, customerId, since } = block;
    const key = `${tenantId}:${month}:${number}`;
    const known = tried ? await provider.blocksOf(customerId, since) : [];
    const itemId =
      known.find((item) => item.key === key)?.itemId ?? (await provider.addBlock(customerId, key, cents));
    await this.dataSource.query(REPORTED_SQL, [tenantId, month, number, itemId]);
  }

  /** What the ledger and the provider do not agree on, one line for each block; logged for a person to look at. */
  async compare(provider: StripeProvider, tenantId: string, customerId: string): Promise<string[]> {
    const ours = await this.dataSource.query<Compared[]>(COMPARE_SQL, [tenantId]);
    const [first] = ours;
    const theirs = first ? await provider.blocksOf(customerId, first.since) : [];
    const differences = differencesOf(ours, theirs);
    for (const difference of differences) {
      log().error({ tenantId, difference }, 'ledger and payment provider differ');
    }
    return differences;
  }
}

function differencesOf(ours: Compared[], theirs: BlockItem[]): string[] {
  const byId = new Map(theirs.map((item) => [item.itemId, item]));
  const ofOurs = ours.flatMap(({ key, itemId, cents, reported }) => {
    const item = byId.get(itemId);
    if (!item) return reported ? [`${key} is not at the provider`] : [];
    return item.cents === cents ? [] : [`${key} costs ${item.cents} at the provider, not ${cents}`];
  });
  const ids = new Map(ours.map(({ key, itemId }) => [key, itemId]));
  const ofTheirs = theirs.flatMap(({ key, itemId }) => {
    if (!ids.has(key)) return [`${key} is at the provider only`];
    return [itemId, null].includes(ids.get(key) ?? null) ? [] : [`${key} is there more than once`];
  });
  return [...ofOurs, ...ofTheirs];
}
