import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { type Entitlements, type Envelope, type LlmCalledV1, TOKEN_BLOCK_CENTS } from '@svc/contracts';
import { DataSource, type EntityManager } from 'typeorm';
import { BillingConfig } from '../config.js';
import {
  entitlementsOf,
  type Overrides,
  planNumbers,
  type TenantPlan,
} from '../subscriptions/entitlements.js';
import { OVERRIDES_SQL, PLAN_NOW_SQL } from '../subscriptions/subscription.entity.js';
import { blocksOf } from './blocks.js';

// The event and its sums, or nothing where the event is there already. Nothing is used in the future, whatever a clock says.
const RECORD_SQL = `WITH event AS (
    INSERT INTO usage_event (source, event_id, tenant_id, session_id, tokens, at, prompt_tokens, completion_tokens, cached_tokens,
      estimated, model, purpose)
    VALUES ($1, $2, $3, $4, $5, least($6::timestamptz, svc_now($3)), $8, $9, $10, $11, $12, $13)
    ON CONFLICT DO NOTHING
    RETURNING tenant_id, session_id, tokens, coalesce(prompt_tokens, 0) AS prompt, coalesce(completion_tokens, 0) AS completion,
      coalesce(cached_tokens, 0) AS cached, CASE WHEN estimated THEN tokens ELSE 0 END AS estimated, (at AT TIME ZONE 'UTC')::date AS day),
  day AS (
    INSERT INTO usage_day (tenant_id, day, session_id, calls, tokens)
    SELECT tenant_id, day, session_id, 1, tokens FROM event
    ON CONFLICT (tenant_id, day, session_id) DO UPDATE
      SET calls = usage_day.calls + 1, tokens = usage_day.tokens + excluded.tokens)
  INSERT INTO usage_period (tenant_id, period, calls, tokens, included, prompt_tokens, completion_tokens, cached_tokens, estimated_tokens)
  SELECT tenant_id, date_trunc('month', day)::date, 1, tokens, $7, prompt, completion, cached, estimated FROM event
  ON CONFLICT (tenant_id, period) DO UPDATE
    SET calls = usage_period.calls + 1, tokens = usage_period.tokens + excluded.tokens,
      prompt_tokens = usage_period.prompt_tokens + excluded.prompt_tokens,
      completion_tokens = usage_period.completion_tokens + excluded.completion_tokens,
      cached_tokens = usage_period.cached_tokens + excluded.cached_tokens,
      estimated_tokens = usage_period.estimated_tokens + excluded.estimated_tokens,
      included = CASE WHEN usage_period.period = date_trunc('month', svc_now($3) AT TIME ZONE 'UTC')::date
        THEN greatest(usage_period.included, excluded.included) ELSE usage_period.included END
  RETURNING to_char(period, 'YYYY-MM-DD') AS period, tokens::text, blocks, included::text`;

const TENANT_SQL = `SELECT ${PLAN_NOW_SQL} AS plan, internal, kept_overage AS "keptOverage", ${OVERRIDES_SQL} AS overrides FROM subscription WHERE tenant_id = $1`;

const START_BLOCKS_SQL = `WITH period AS (
    UPDATE usage_period SET blocks = $4 WHERE tenant_id = $1 AND period = $2)
  INSERT INTO token_block (tenant_id, period, number, cents, started_at, by_provider)
  SELECT tenant_id, $2, number, $5, svc_now($1), provider_id IS NOT NULL
  FROM subscription CROSS JOIN generate_series($3 + 1, $4::integer) AS number WHERE tenant_id = $1`;

/** The sum of a month after an event. */
interface MonthRow {
  period: string;
  tokens: string;
  blocks: number;
  /** The most that the month has included: a smaller plan does not charge for what was included. */
  included: string;
}

interface TenantRow extends TenantPlan {
  internal: boolean;
  overrides: Overrides;
}

/** This service writes the ledger: each event once, and each block that it starts. */
@Injectable()
export class LedgerService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly config: BillingConfig,
  ) {}

  /** Records a call. A repeat, however late, changes nothing. */
  async record({ id, tenantId, data }: Envelope<LlmCalledV1>): Promise<void> {
    const { source, sessionId, tokens, timestamp } = data;
    await this.dataSource.transaction(async (tx) => {
      const entitlements = await this.entitlementsOf(tx, tenantId);
      const included = entitlements?.tokens ?? 0;
      const values = [source, id, tenantId, sessionId, tokens, timestamp, included];
      const [month] = await tx.query<MonthRow[]>(RECORD_SQL, [...values, ...kindsOf(data)]);
      if (month && entitlements) await startBlocks(tx, tenantId, entitlements, month);
    });
  }

  private async entitlementsOf(tx: EntityManager, tenantId: string): Promise<Entitlements | undefined> {
    const [row] = await tx.query<TenantRow[]>(TENANT_SQL, [tenantId]);
    return row && entitlementsOf(planNumbers(this.config, row), row.overrides, row.internal);
  }
}

/** Lists what a call says of its tokens; nulls where it says nothing. */
function kindsOf(data: LlmCalledV1): unknown[] {
  const { promptTokens, completionTokens, cachedTokens, estimated, model, purpose } = data;
  return [promptTokens, completionTokens, cachedTokens, estimated, model, purpose].map((one) => one ?? null);
}

/** Starts the blocks that are due. A block that was started stays, and pays for as many tokens as any other. */
async function startBlocks(
  tx: EntityManager,
  tenantId: string,
  { tokens, overage }: Entitlements,
  month: MonthRow,
): Promise<void> {
  if (tokens === null || overage === 'block') return;
  const due = blocksOf(Number(month.tokens), Number(month.included));
  if (due <= month.blocks) return;
  await tx.query(START_BLOCKS_SQL, [tenantId, month.period, month.blocks, due, TOKEN_BLOCK_CENTS]);
}
