import { TIER_CAPS } from '@svc/contracts';

/** Tiers that can be left: a setting is four numbers from tier 0 on, or one for all of them. */
export const STEPS = TIER_CAPS.length - 1;

/** The criteria that a number has to meet before its tier rises. */
export interface Criteria {
  /** Days in the tier. */
  dwellDays: number;
  /** Part of the cap that makes a day count as used. */
  leastUsed: number;
  leastDelivered: number;
  mostFailed: number;
  leastReplied: number;
  /** Unplanned ones, a day on average. */
  mostDisconnects: number;
}

/** Part of the days of the tier that have to be used. */
export const USED_DAYS_PART = 0.5;
/** Health is looked at over so many days at most: what is long past is forgiven. */
export const WINDOW_DAYS = 30;
