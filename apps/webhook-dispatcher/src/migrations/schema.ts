import { ErasedContacts1764000130000 } from './1764000130000-erased-contacts.js';
import { Webhooks1763800000000 } from './1763800000000-webhooks.js';
import { DeliveriesAndLog1763800100000 } from './1763800100000-deliveries-and-log.js';
import { EndpointFeatures1763800200000 } from './1763800200000-endpoint-features.js';
import { EndpointNews1763800300000 } from './1763800300000-endpoint-news.js';
import { HeldBounds1763800310000 } from './1763800310000-held-bounds.js';
import { Retention1763800320000 } from './1763800320000-retention.js';
import { DueByKind1763800400000 } from './1763800400000-due-by-kind.js';
import { StrictOrder1763800410000 } from './1763800410000-strict-order.js';
import { AttemptsWithoutId1763800500000 } from './1763800500000-attempts-without-id.js';
import { AuditFacts1764500000000 } from './1764500000000-audit-facts.js';
import { Hears1764700000320 } from './1764700000320-hears.js';
import { SuspendedEndpoints1764600000063 } from './1764600000063-suspended-endpoints.js';
import { PausesAndSecrets1764700000032 } from './1764700000032-pauses-and-secrets.js';
import { ToldEvents1764700000341 } from './1764700000341-told-events.js';
import { Failovers1764800000347 } from './1764800000347-failovers.js';

/** The schema this service owns and its migrations, in order. */
export const schema = {
  schema: 'webhooks',
  migrations: [
    Webhooks1763800000000,
    DeliveriesAndLog1763800100000,
    EndpointFeatures1763800200000,
    EndpointNews1763800300000,
    HeldBounds1763800310000,
    Retention1763800320000,
    DueByKind1763800400000,
    StrictOrder1763800410000,
    AttemptsWithoutId1763800500000,
    ErasedContacts1764000130000,
    AuditFacts1764500000000,
    SuspendedEndpoints1764600000063,
    PausesAndSecrets1764700000032,
    Hears1764700000320,
    ToldEvents1764700000341,
    Failovers1764800000347,
  ],
};
