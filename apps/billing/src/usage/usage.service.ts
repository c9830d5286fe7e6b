import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import {
  countOf,
  CURRENCY,
  type GetUsageV1,
  type LlmUsage,
  TOKEN_BLOCK,
  TOKEN_BLOCK_CENTS,
  type TokenKinds,
  type TokenUsage,
  type UsageReply,
} from '@svc/contracts';
import { DataSource } from 'typeorm';
import { tokensIncluded } from '../subscriptions/entitlements.js';
import { SubscriptionsService } from '../subscriptions/subscriptions.service.js';

const MONTH_SQL = `SELECT to_char(first, 'YYYY-MM') AS month, first AT TIME ZONE 'UTC' AS "from",
    (first + interval '1 month') AT TIME ZONE 'UTC' AS "to",
    coalesce(calls, 0) AS calls, coalesce(tokens, 0)::text AS tokens, coalesce(blocks, 0) AS blocks,
    coalesce(prompt_tokens, 0)::text AS prompt, coalesce(completion_tokens, 0)::text AS completion,
    coalesce(cached_tokens, 0)::text AS cached, coalesce(estimated_tokens, 0)::text AS estimated,
    included::text, first = date_trunc('month', svc_now($1) AT TIME ZONE 'UTC') AS running,
    (SELECT coalesce(sum(cents), 0)::int FROM token_block
      WHERE token_block.tenant_id = $1 AND token_block.period = first::date) AS cost
  FROM (SELECT coalesce(to_timestamp($2, 'YYYY-MM')::timestamp, date_trunc('month', svc_now($1) AT TIME ZONE 'UTC'))) this (first)
  LEFT JOIN usage_period ON usage_period.tenant_id = $1 AND period = first::date`;

const DETAILS_SQL = `SELECT coalesce(to_char(day, 'YYYY-MM-DD'), session_id::text) AS key, day IS NOT NULL AS "isDay",
    sum(calls)::int AS calls, sum(tokens)::text AS tokens
  FROM usage_day WHERE tenant_id = $1 AND day >= $2::date AND day < $2::date + interval '1 month'
  GROUP BY GROUPING SETS ((day), (session_id)) ORDER BY day, sum(tokens) DESC, session_id`;

interface MonthRow extends Record<keyof TokenKinds, string> {
  month: string;
  from: Date;
  to: Date;
  calls: number;
  tokens: string;
  blocks: number;
  /** Tokens that the month includes; null: nothing was used. */
  included: string | null;
  running: boolean;
  cost: number;
}

interface DetailRow {
  key: string;
  isDay: boolean;
  calls: number;
  tokens: string;
}

/** This service reads what a tenant used in a month, from the ledger's sums. */
@Injectable()
export class UsageService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly subscriptions: SubscriptionsService,
  ) {}

  /** @throws AppError `TENANT_NOT_FOUND` */
  async get({ tenantId, month }: GetUsageV1): Promise<UsageReply> {
    const [row] = await this.dataSource.query<[MonthRow]>(MONTH_SQL, [tenantId, month ?? null]);
    const [tokens, details] = await Promise.all([
      this.tokensOf(tenantId, row),
      this.dataSource.query<DetailRow[]>(DETAILS_SQL, [tenantId, `${row.month}-01`]),
    ]);
    const { calls, from, to } = row;
    return {
      ...{ month: row.month, from: from.toISOString(), to: to.toISOString(), tokens, calls },
      days: details.filter(({ isDay }) => isDay).map(toUsage),
      sessions: details.filter(({ isDay }) => !isDay).map(toUsage),
    };
  }

  /**
   * Counts the tokens of a month. One that has ended has the number that it included while anything was used; where nothing was, the number
   * of today.
   */
  private async tokensOf(tenantId: string, row: MonthRow): Promise<TokenUsage> {
    const { blocks, cost, running } = row;
    const { entitlements } = await this.subscriptions.get(tenantId);
    const hasEnded = !running && row.included !== null;
    const limit =
      hasEnded && entitlements.tokens !== null
        ? Number(row.included)
        : tokensIncluded(entitlements, Number(row.included ?? 0));
    const { limit: included, used, left } = countOf(limit, Number(row.tokens));
    return {
      ...{ used, kinds: kindsOf(row), included, left, overage: entitlements.overage, blocks, cost },
      ...{ blockSize: TOKEN_BLOCK, blockPrice: TOKEN_BLOCK_CENTS, currency: CURRENCY },
    };
  }
}

function kindsOf({ prompt, completion, cached, estimated }: MonthRow): TokenKinds {
  return {
    prompt: Number(prompt),
    completion: Number(completion),
    cached: Number(cached),
    estimated: Number(estimated),
  };
}

function toUsage({ key, calls, tokens }: DetailRow): LlmUsage {
  return { key, calls, tokens: Number(tokens) };
}
