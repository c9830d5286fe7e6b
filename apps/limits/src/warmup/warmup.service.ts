import { Injectable } from '@nestjs/common';
import { type SessionRef, TIER_CAPS, type WarmupState } from '@svc/contracts';
import { LimitsConfig } from '../config.js';
import { HealthRepository, type HealthRecord } from './health.service.js';
import { judge } from './verdict.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const TOP = TIER_CAPS.length - 1;

/** This service says where a number stands on its way to the next tier. */
@Injectable()
export class WarmupService {
  constructor(
    private readonly health: HealthRepository,
    private readonly config: LimitsConfig,
  ) {}

  async state({ sessionId }: SessionRef): Promise<WarmupState> {
    const [record] = await this.health.recordsOf([sessionId]);
    if (record) return this.stateOf(record);
    // The session has not sent anything: its time in tier 0 has not begun.
    return { sessionId, tier: 0, tierSince: null, daysInTier: 0, nextTier: 1, dueAt: null, criteria: [] };
  }

  stateOf({ sessionId, tier, tierSince, facts }: HealthRecord): WarmupState {
    const since = { sessionId, tier, tierSince: tierSince.toISOString() };
    const daysInTier = Math.floor(facts.inTierMs / DAY_MS);
    if (tier >= TOP) return { ...since, daysInTier, nextTier: null, dueAt: null, criteria: [] };
    const criteria = this.config.criteriaOf(tier);
    const dueAt = new Date(tierSince.getTime() + criteria.dwellDays * DAY_MS).toISOString();
    return { ...since, daysInTier, nextTier: tier + 1, dueAt, criteria: judge(facts, criteria) };
  }
}
