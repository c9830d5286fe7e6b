import { sqlFolder } from '@svc/database';
import { AuditChain1763700500000 } from './1763700500000-audit-chain.js';
import { AuditCheck1763700600000 } from './1763700600000-audit-check.js';
import { ContactAliases1764500000131 } from './1764500000131-contact-aliases.js';
import { Contacts1764000120000 } from './1764000120000-contacts.js';
import { Conversations1764000110000 } from './1764000110000-conversations.js';
import { Erasures1764000130000 } from './1764000130000-erasures.js';
import { FailedMessages1763700700000 } from './1763700700000-failed-messages.js';
import { Gateway1763700000000 } from './1763700000000-gateway.js';
import { SessionChanges1763700100000 } from './1763700100000-session-changes.js';
import { InboundDetails1763700300000 } from './1763700300000-inbound-details.js';
import { MessageContent1763700200000 } from './1763700200000-message-content.js';
import { ProgressOfMessages1764000700000 } from './1764000700000-progress-of-messages.js';
import { OneWritePerMessage1764000800000 } from './1764000800000-one-write-per-message.js';
import { FilesOfMessages1764000900000 } from './1764000900000-files-of-messages.js';
import { PastOfConversations1764001000000 } from './1764001000000-past-of-conversations.js';
import { JobsOfUploads1764001100000 } from './1764001100000-jobs-of-uploads.js';
import { NoSessionChanges1764500000000 } from './1764500000000-no-session-changes.js';
import { ChangesOfMessages1764600000041 } from './1764600000041-changes-of-messages.js';
import { RotationsOfKeys1764600000042 } from './1764600000042-rotations-of-keys.js';
import { KeptUploads1764600000052 } from './1764600000052-kept-uploads.js';
import { SandboxDays1764600000054 } from './1764600000054-sandbox-days.js';
import { CardsOfMessages1764600000066 } from './1764600000066-cards-of-messages.js';
import { SingleUseLinks1764700000031 } from './1764700000031-single-use-links.js';
import { SeenAuditEnds1764600000064 } from './1764600000064-seen-audit-ends.js';
import { TurnsOfTenants1764600000069 } from './1764600000069-turns-of-tenants.js';
import { TurnsOfQueuedMessages1764700000033 } from './1764700000033-turns-of-queued-messages.js';
import { TenantStates1764600000061 } from './1764600000061-tenant-states.js';
import { Sandboxes1764000600000 } from './1764000600000-sandboxes.js';
import { Timeline1764000100000 } from './1764000100000-timeline.js';
import { Widgets1764000500000 } from './1764000500000-widgets.js';
import { SuccessorsOfKeys1764700000321 } from './1764700000321-successors-of-keys.js';
import { FirstOfKeys1764700000322 } from './1764700000322-first-of-keys.js';
import { SendersOfMessages1764700000331 } from './1764700000331-senders-of-messages.js';
import { SessionAssistants1764800000332 } from './1764800000332-session-assistants.js';
import { KnownMessages1764800000344 } from './1764800000344-known-messages.js';
import { OptOuts1764800000340 } from './1764800000340-opt-outs.js';
import { PollVotes1764700000316 } from './1764700000316-poll-votes.js';
import { SessionCreations1764700000317 } from './1764700000317-session-creations.js';
import { Uploads1763700400000 } from './1763700400000-uploads.js';
import { ScheduledMessages1764000210000 } from './1764000210000-scheduled-messages.js';
import { SendExtras1764000200000 } from './1764000200000-send-extras.js';

/** The schema this service owns: its migrations, in order, and its functions. */
export const schema = {
  schema: 'gateway',
  migrations: [
    Gateway1763700000000,
    SessionChanges1763700100000,
    MessageContent1763700200000,
    InboundDetails1763700300000,
    Uploads1763700400000,
    AuditChain1763700500000,
    AuditCheck1763700600000,
    FailedMessages1763700700000,
    Sandboxes1764000600000,
    Widgets1764000500000,
    Timeline1764000100000,
    Conversations1764000110000,
    Contacts1764000120000,
    SendExtras1764000200000,
    ScheduledMessages1764000210000,
    Erasures1764000130000,
    ProgressOfMessages1764000700000,
    OneWritePerMessage1764000800000,
    FilesOfMessages1764000900000,
    PastOfConversations1764001000000,
    JobsOfUploads1764001100000,
    NoSessionChanges1764500000000,
    ContactAliases1764500000131,
    ChangesOfMessages1764600000041,
    RotationsOfKeys1764600000042,
    KeptUploads1764600000052,
    SandboxDays1764600000054,
    TenantStates1764600000061,
    SeenAuditEnds1764600000064,
    CardsOfMessages1764600000066,
    TurnsOfTenants1764600000069,
    SingleUseLinks1764700000031,
    TurnsOfQueuedMessages1764700000033,
    PollVotes1764700000316,
    SessionCreations1764700000317,
    SuccessorsOfKeys1764700000321,
    FirstOfKeys1764700000322,
    SendersOfMessages1764700000331,
    SessionAssistants1764800000332,
    OptOuts1764800000340,
    KnownMessages1764800000344,
  ],
  sql: sqlFolder(import.meta.url),
};
