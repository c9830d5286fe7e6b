import { Subscriptions1763700000000 } from './1763700000000-subscriptions.js';
import { Usage1763700100000 } from './1763700100000-usage.js';
import { EntitlementOverrides1764300000000 } from './1764300000000-entitlement-overrides.js';
import { AuditFacts1764500000000 } from './1764500000000-audit-facts.js';
import { Quotas1764600000051 } from './1764600000051-quotas.js';
import { KeptOverage1764700000010 } from './1764700000010-kept-overage.js';
import { KindsOfTokens1764700000342 } from './1764700000342-kinds-of-tokens.js';
import { ToldEvents1764700000341 } from './1764700000341-told-events.js';

/** The schema this service owns and its migrations, in order. */
export const schema = {
  schema: 'billing',
  migrations: [
    Subscriptions1763700000000,
    Usage1763700100000,
    EntitlementOverrides1764300000000,
    AuditFacts1764500000000,
    Quotas1764600000051,
    KeptOverage1764700000010,
    ToldEvents1764700000341,
    KindsOfTokens1764700000342,
  ],
};
