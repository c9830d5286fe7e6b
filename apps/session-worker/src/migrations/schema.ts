import { ErasedContacts1764000130000 } from './1764000130000-erased-contacts.js';
import { AddressesOfAccounts1764500000132 } from './1764500000132-addresses-of-accounts.js';
import { AuditFacts1764500000000 } from './1764500000000-audit-facts.js';
import { NumbersOfSessions1764600000041 } from './1764600000041-numbers-of-sessions.js';
import { KeptMedia1764600000053 } from './1764600000053-kept-media.js';
import { InboundMedia1763700200000 } from './1763700200000-inbound-media.js';
import { SessionAge1763700600000 } from './1763700600000-session-age.js';
import { Sessions1763700000000 } from './1763700000000-sessions.js';
import { SessionLinks1763700300000 } from './1763700300000-session-links.js';
import { SessionProxy1763700400000 } from './1763700400000-session-proxy.js';
import { SessionRestrictions1763700700000 } from './1763700700000-session-restrictions.js';
import { SandboxSessions1764000600000 } from './1764000600000-sandbox-sessions.js';
import { TimesOfMessages1764000100000 } from './1764000100000-times-of-messages.js';
import { Uploads1763700500000 } from './1763700500000-uploads.js';
import { SendExtras1764000200000 } from './1764000200000-send-extras.js';
import { StanzaEnds1764700000030 } from './1764700000030-stanza-ends.js';
import { PlatformVersion1764700000031 } from './1764700000031-platform-version.js';
import { OnlineSessions1764700000032 } from './1764700000032-online-sessions.js';
import { DeletionsOnPhone1764700000034 } from './1764700000034-deletions-on-phone.js';
import { EarlyVotes1764700000315 } from './1764700000315-early-votes.js';
import { SecretsOfMessages1764700000314 } from './1764700000314-secrets-of-messages.js';
import { RejectedCalls1764700000317 } from './1764700000317-rejected-calls.js';
import { SuspendedSessions1764600000062 } from './1764600000062-suspended-sessions.js';
import { SendersOfMessages1764700000342 } from './1764700000342-senders-of-messages.js';
import { ModesOfMessages1764700000343 } from './1764700000343-modes-of-messages.js';
import { WrittenByHand1764700000344 } from './1764700000344-written-by-hand.js';
import { ReasonsOfModes1764700000347 } from './1764700000347-reasons-of-modes.js';
import { ToldEvents1764700000341 } from './1764700000341-told-events.js';

/** The schema this service owns and its migrations, in order. */
export const schema = {
  schema: 'sessions',
  migrations: [
    Sessions1763700000000,
    InboundMedia1763700200000,
    SessionLinks1763700300000,
    SessionProxy1763700400000,
    Uploads1763700500000,
    SessionAge1763700600000,
    SessionRestrictions1763700700000,
    SandboxSessions1764000600000,
    TimesOfMessages1764000100000,
    SendExtras1764000200000,
    ErasedContacts1764000130000,
    AuditFacts1764500000000,
    AddressesOfAccounts1764500000132,
    NumbersOfSessions1764600000041,
    KeptMedia1764600000053,
    SuspendedSessions1764600000062,
    StanzaEnds1764700000030,
    PlatformVersion1764700000031,
    OnlineSessions1764700000032,
    DeletionsOnPhone1764700000034,
    SecretsOfMessages1764700000314,
    EarlyVotes1764700000315,
    RejectedCalls1764700000317,
    ToldEvents1764700000341,
    SendersOfMessages1764700000342,
    ModesOfMessages1764700000343,
    WrittenByHand1764700000344,
    ReasonsOfModes1764700000347,
  ],
};
