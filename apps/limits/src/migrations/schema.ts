import { sqlFolder } from '@svc/database';
import { KeyedContacts1764600000065 } from './1764600000065-keyed-contacts.js';
import { AuditFacts1764500000000 } from './1764500000000-audit-facts.js';
import { TiersOfNumbers1764600000041 } from './1764600000041-tiers-of-numbers.js';
import { Limits1763700100000 } from './1763700100000-limits.js';
import { Reserve1763700200000 } from './1763700200000-reserve.js';
import { GiveBack1763700300000 } from './1763700300000-give-back.js';
import { OnlyNew1764100100000 } from './1764100100000-only-new.js';
import { QuotaWithoutCap1764300000000 } from './1764300000000-quota-without-cap.js';
import { ScopesChecked1763700650000 } from './1763700650000-scopes-checked.js';
import { LlmCalls1763700600000 } from './1763700600000-llm-calls.js';
import { WarmupEnd1763700550000 } from './1763700550000-warmup-end.js';
import { WarmupHealth1763700400000 } from './1763700400000-warmup-health.js';

/** The schema this service owns: its migrations, in order, and its functions. */
export const schema = {
  schema: 'limits',
  migrations: [
    Limits1763700100000,
    Reserve1763700200000,
    GiveBack1763700300000,
    WarmupHealth1763700400000,
    WarmupEnd1763700550000,
    LlmCalls1763700600000,
    ScopesChecked1763700650000,
    OnlyNew1764100100000,
    QuotaWithoutCap1764300000000,
    AuditFacts1764500000000,
    TiersOfNumbers1764600000041,
    KeyedContacts1764600000065,
  ],
  sql: sqlFolder(import.meta.url),
};
