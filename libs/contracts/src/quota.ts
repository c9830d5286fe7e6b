import { AppError } from './app-error.js';

/** A thing that a tenant has a bounded amount of, and only a deletion makes room for; `keys` are those that work and are not replaced. */
export type Quota = 'storage' | 'endpoints' | 'keys' | 'widgets';

/** A thing that is bounded whatever the plan: attempts of one delivery, which go with it. */
type FixedQuota = 'attempts';

/** Replaced keys in their overlap, all of them or those with `admin:*`; the tenant's number of keys bounds each. */
type ReplacedKeys = 'replacedKeys' | 'replacedAdminKeys';

const replacedKeys = (limit: number): string =>
  `There may be ${limit} replaced API keys in their last 24 hours: revoke one that is not used.`;

const RULES: Record<Quota | FixedQuota | ReplacedKeys, (limit: number) => string> = {
  storage: (limit) =>
    `Files of ${limit} bytes in all may be kept: delete an upload that is not used. Each goes by itself after 31 days.`,
  endpoints: (limit) => `There may be ${limit} tenant-wide endpoints: delete one that is not used.`,
  keys: (limit) => `There may be ${limit} API keys that work: revoke one that is not used.`,
  replacedKeys,
  replacedAdminKeys: replacedKeys,
  attempts: (limit) => `A delivery may have ${limit} attempts: it is not sent again.`,
  widgets: (limit) => `There may be ${limit} widgets: delete one that is not used.`,
};

/** The refusal of something of which the tenant has as much as it may have; `meta` names the quota, its limit and what is used. */
export function quotaConflict(of: Quota | FixedQuota | ReplacedKeys, limit: number, used: number): AppError {
  const quota: Quota | FixedQuota = of === 'replacedKeys' || of === 'replacedAdminKeys' ? 'keys' : of;
  return new AppError('QUOTA_CONFLICT', RULES[of](limit), { quota, limit, used });
}
