import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { TIER_CAPS, type WarmupState } from '@svc/contracts';
import { patiently, togetherOrAlone } from '@svc/database';
import { log, PeriodicTasks, refusalWords } from '@svc/service';
import { DataSource } from 'typeorm';
import { LimitsConfig } from '../config.js';
import { TiersService } from '../tiers/tiers.service.js';
import { HealthRepository } from './health.service.js';
import { WarmupService } from './warmup.service.js';

const BATCH = 200;
const TOP = TIER_CAPS.length - 1;
/** Numbers that may still rise: those of deleted sessions do not. */
const RISING = `tier < ${TOP} AND ended_at IS NULL`;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

// The hour is that of the tenant: the sandbox moves clocks. Whoever takes a number writes when, so another replica leaves it
// alone for the rest of the hour; a clock that was set back does not leave it alone for days.
const CLAIM_SQL = `WITH clock AS MATERIALIZED (
    SELECT tenant.id AS tenant_id, base.now + coalesce(offset_ms, 0) * interval '1 millisecond' AS now
    FROM svc_now() AS base (now)
    CROSS JOIN (SELECT DISTINCT tenant_id AS id FROM warmup WHERE ${RISING}) tenant
    LEFT JOIN svc_offsets(ARRAY(SELECT DISTINCT tenant_id FROM warmup WHERE ${RISING})) own ON own.tenant_id = tenant.id),
  due AS (
    SELECT session_id, now FROM warmup JOIN clock USING (tenant_id)
    WHERE ${RISING} AND session_id > $1
      AND (evaluated_at IS NULL OR evaluated_at < date_trunc('hour', now) OR evaluated_at > now)
    ORDER BY session_id LIMIT ${BATCH} FOR UPDATE OF warmup SKIP LOCKED)
  UPDATE warmup SET evaluated_at = due.now FROM due WHERE warmup.session_id = due.session_id
  RETURNING warmup.session_id AS "sessionId", warmup.tenant_id AS "tenantId", tier`;

/** A number whose hour has come. */
interface DueNumber {
  sessionId: string;
  tenantId: string;
  tier: number;
}

/** This class judges every number once an hour, whichever replica comes to it, and raises the tier of those that meet all criteria. */
@Injectable()
export class WarmupTicker {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly health: HealthRepository,
    private readonly warmup: WarmupService,
    private readonly tiers: TiersService,
    tasks: PeriodicTasks,
    config: LimitsConfig,
  ) {
    tasks.add('warmup', config.intervalMs, () => this.judgeDue());
  }

  /** Judges the numbers that nobody has judged in this hour. */
  async judgeDue(): Promise<void> {
    let last = FIRST_ID;
    for (;;) {
      const [due] = await this.dataSource.query<[DueNumber[], number]>(CLAIM_SQL, [last]);
      await this.judge(due);
      if (due.length < BATCH) return;
      last = due.map(({ sessionId }) => sessionId).reduce((a, b) => (a > b ? a : b));
    }
  }

  private async judge(due: DueNumber[]): Promise<void> {
    const states = await togetherOrAlone(
      due,
      // They are claimed for this hour: a database that is away for a moment must not cost them that.
      (some) => patiently(() => this.statesOf(some)),
      ({ sessionId }, error) =>
        log().error({ sessionId, err: error, words: refusalWords(error) }, 'a number cannot be judged'),
    );
    const stateOf = new Map(states.flat());
    for (const { sessionId, tenantId } of due) {
      const state = stateOf.get(sessionId);
      if (!state || state.nextTier === null || !state.criteria.every(({ met }) => met)) continue;
      await this.raise({ sessionId, tenantId, tier: state.tier }, state.nextTier).catch((error: unknown) =>
        log().warn({ sessionId, err: error }, 'tier not raised, it is judged again in an hour'),
      );
    }
  }

  private async statesOf(due: DueNumber[]): Promise<[sessionId: string, WarmupState][]> {
    const records = await this.health.recordsOf(due.map(({ sessionId }) => sessionId));
    return records.map((record) => [record.sessionId, this.warmup.stateOf(record)]);
  }

  private async raise({ sessionId, tenantId, tier: from }: DueNumber, tier: number): Promise<void> {
    const promotion = { tenantId, sessionId, tier, reason: 'AUTOMATIC', actor: 'system' };
    if (await this.tiers.promoteFrom(from, promotion)) log().info({ sessionId, tier }, 'tier raised');
  }
}
