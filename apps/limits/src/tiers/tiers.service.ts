import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import {
  AppError,
  type AuditFact,
  invalidField,
  type PromoteTierV1,
  type TierPromotion,
  type TiersReply,
} from '@svc/contracts';
import { auditFactOf, AuditOutbox, insertAuditFacts } from '@svc/service';
import { DataSource, type EntityManager, In } from 'typeorm';
import { TierPromotionRow } from './tier-promotion.entity.js';
import { Warmup } from './warmup.entity.js';

/** This service reads and raises warmup tiers. */
@Injectable()
export class TiersService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly audit: AuditOutbox,
  ) {}

  async get(sessionIds: string[]): Promise<TiersReply> {
    const rows = await this.dataSource.getRepository(Warmup).findBy({ sessionId: In(sessionIds) });
    const byId = new Map(rows.map((row) => [row.sessionId, row.tier]));
    return { tiers: sessionIds.map((sessionId) => ({ sessionId, tier: byId.get(sessionId) ?? 0 })) };
  }

  /** Raises a tier: row, history and audit fact in one transaction; the fact is delivered after the commit. */
  async promote(request: PromoteTierV1): Promise<TierPromotion> {
    const { promotion, fact } = await this.dataSource.transaction(async (tx) => {
      const current = await lockTier(tx, request);
      if (request.tier <= current.tier) throw notHigher(current.tier);
      return raise(tx, request, current);
    });
    await this.audit.deliver([fact]);
    return promotion;
  }

  /** Raises a number that is still in this tier. @returns false: somebody was faster. */
  async promoteFrom(from: number, request: PromoteTierV1): Promise<boolean> {
    const rise = await this.dataSource.transaction(async (tx) => {
      const current = await lockTier(tx, request);
      return current.tier === from ? raise(tx, request, current) : undefined;
    });
    if (rise) void this.audit.deliver([rise.fact]); // the call does not wait for it
    return rise !== undefined;
  }
}

interface CurrentTier {
  tier: number;
  now: Date;
}

async function raise(
  tx: EntityManager,
  request: PromoteTierV1,
  current: CurrentTier,
): Promise<{ promotion: TierPromotion; fact: AuditFact }> {
  const { sessionId, tenantId, tier, reason, actor } = request;
  const promotedAt = current.now;
  await tx.update(Warmup, { sessionId }, { tier, tierSince: promotedAt });
  await tx.query('SELECT keep_tier($1)', [sessionId]);

  const previousTier = current.tier;
  const action = 'warmup_tier.promoted';
  const details = { previousTier, tier };
  const fact = auditFactOf({ tenantId, at: promotedAt, actor, action, target: sessionId, reason, details });
  const history = { id: fact.id, sessionId, tenantId, previousTier, tier, reason, actor, promotedAt };
  await tx.insert(TierPromotionRow, history);
  await insertAuditFacts(tx, [fact]);
  return { promotion: { sessionId, tier, previousTier, promotedAt: fact.at }, fact };
}

/** Locks the tier, and makes its row where there was none; a refusal rolls that back. */
async function lockTier(tx: EntityManager, { sessionId, tenantId }: PromoteTierV1): Promise<CurrentTier> {
  const now = 'svc_now($2)';
  // One number may be linked to several sessions: a rise in one of them raises all, so rises of one number wait for each other.
  await tx.query(
    `SELECT pg_advisory_xact_lock(hashtextextended(tenant_id || phone, 0)) FROM linked_number WHERE session_id = $1`,
    [sessionId],
  );
  // A reservation holds the counter when it makes the row below.
  await tx.query(
    `SELECT FROM quota WHERE scope = 'session' AND id = $1 AND day = (${now} AT TIME ZONE 'UTC')::date FOR UPDATE`,
    [sessionId, tenantId],
  );
  await tx.query(
    `INSERT INTO warmup (session_id, tenant_id, tier, tier_since) VALUES ($1, $2, 0, ${now})
     ON CONFLICT DO NOTHING`,
    [sessionId, tenantId],
  );
  const [row] = await tx.query<CurrentTier[]>(
    `SELECT tier, ${now} AS now FROM warmup WHERE session_id = $1 AND tenant_id = $2 FOR UPDATE`,
    [sessionId, tenantId],
  );
  if (!row) throw new AppError('FORBIDDEN');
  return row;
}

function notHigher(current: number): AppError {
  const rule = `tier must be higher than the current tier, which is ${current}`;
  return invalidField('tier', rule);
}
