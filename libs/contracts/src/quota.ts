import { AppError } from './app-error.js';

/** A thing that a tenant has a bounded amount of, and only a deletion makes room for; `keys` are those that work, each one with those that it has replaced. */
export type Quota = 'storage' | 'endpoints' | 'keys' | 'widgets';

/** A thing that is bounded whatever the plan: attempts of one delivery, which go with it. */
type FixedQuota = 'attempts';

const RULES: Record<Quota | FixedQuota, (limit: number) => string> = {
  storage: (limit) =>
    `Files of ${limit} bytes in all may be kept: delete an upload that is not used. Each goes by itself after 31 days.`,
  endpoints: (limit) => `There may be ${limit} tenant-wide endpoints: delete one that is not used.`,
  keys: (limit) =>
    `There may be ${limit} API keys that work: revoke one that is not used, with those that it has replaced.`,
  attempts: (limit) => `A delivery may have ${limit} attempts: it is not sent again.`,
  widgets: (limit) => `There may be ${limit} widgets: delete one that is not used.`,
};

/** The refusal of something of which the tenant has as much as it may have; `meta` names the quota, its limit and what is used. */
export function quotaConflict(quota: Quota | FixedQuota, limit: number, used: number): AppError {
  return new AppError('QUOTA_CONFLICT', RULES[quota](limit), { quota, limit, used });
}
