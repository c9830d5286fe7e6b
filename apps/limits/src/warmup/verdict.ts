import type { WarmupCriterion, WarmupCriterionName } from '@svc/contracts';
import { type Criteria, USED_DAYS_PART, WINDOW_DAYS } from './criteria.js';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Quantile of nine in ten, one-sided: a number that is healthy passes with a few dozen messages, one that was lucky rarely does. */
const Z = 1.2816;

/** The facts of a number since it entered its tier, and of the last 30 days at most. */
export interface Facts {
  /** Milliseconds in the tier, in domain time. */
  inTierMs: number;
  /** Days on which its cap was used as far as the criteria want. */
  usedDays: number;
  sent: number;
  /** Messages that were sent more than a day ago. */
  sentBefore: number;
  deliveredBefore: number;
  failed: number;
  /** Distinct contacts written to, and those of them that wrote after. */
  contacts: number;
  replied: number;
  disconnects: number;
  logouts: number;
}

/** Computes Wilson's lower bound of a ratio; 0 where there is nothing to judge by. */
export function lowerBound(part: number, whole: number): number {
  if (whole === 0) return 0;
  const [ratio, z2] = [part / whole, Z * Z];
  const middle = ratio + z2 / (2 * whole);
  const margin = Z * Math.sqrt((ratio * (1 - ratio)) / whole + z2 / (4 * whole * whole));
  return Math.max(0, (middle - margin) / (1 + z2 / whole));
}

/** Holds the facts against the criteria, one by one, in the order in which people ask. */
export function judge(facts: Facts, criteria: Criteria): WarmupCriterion[] {
  const days = facts.inTierMs / DAY_MS;
  const usedDays = Math.ceil(criteria.dwellDays * USED_DAYS_PART);
  return [
    atLeast('DAYS_IN_TIER', days, criteria.dwellDays),
    atLeast('USED_DAYS', facts.usedDays, usedDays),
    atLeast('DELIVERED', lowerBound(facts.deliveredBefore, facts.sentBefore), criteria.leastDelivered),
    atMost('FAILED', lowerBound(facts.failed, facts.sent), criteria.mostFailed),
    atLeast('REPLIED', lowerBound(facts.replied, facts.contacts), criteria.leastReplied),
    atMost(
      'DISCONNECTS_PER_DAY',
      facts.disconnects / Math.min(WINDOW_DAYS, Math.max(1, days)),
      criteria.mostDisconnects,
    ),
    atMost('LOGOUTS', facts.logouts, 0),
  ];
}

// Rounded so that what is shown never looks like enough where it is not.
function atLeast(name: WarmupCriterionName, actual: number, required: number): WarmupCriterion {
  return { name, met: actual >= required, required, actual: Math.floor(actual * 1000) / 1000 };
}

function atMost(name: WarmupCriterionName, actual: number, required: number): WarmupCriterion {
  return { name, met: actual <= required, required, actual: Math.ceil(actual * 1000) / 1000 };
}
