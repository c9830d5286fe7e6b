import { Assistant1764800000331 } from './1764800000331-assistant.js';
import { Publications1764800000332 } from './1764800000332-publications.js';
import { Handoffs1764800000333 } from './1764800000333-handoffs.js';
import { ErasedContacts1764800000334 } from './1764800000334-erased-contacts.js';
import { AskedCalls1764800000335 } from './1764800000335-asked-calls.js';
import { Drafts1764800000337 } from './1764800000337-drafts.js';
import { Brains1764800000338 } from './1764800000338-brains.js';
import { Tools1764800000339 } from './1764800000339-tools.js';
import { PhoneTexts1764800000341 } from './1764800000341-phone-texts.js';
import { Playground1764800000342 } from './1764800000342-playground.js';
import { KnowledgeFiles1764800000343 } from './1764800000343-knowledge-files.js';
import { Evals1764800000348 } from './1764800000348-evals.js';
import { TokenBudgets1764800000344 } from './1764800000344-token-budgets.js';
import { Approvals1764800000345 } from './1764800000345-approvals.js';
import { ToolServers1764800000346 } from './1764800000346-tool-servers.js';
import { Knowledge1764800000336 } from './1764800000336-knowledge.js';

/** The schema this service owns: its migrations, in order. */
export const schema = {
  schema: 'assistant',
  migrations: [
    Assistant1764800000331,
    Publications1764800000332,
    Handoffs1764800000333,
    ErasedContacts1764800000334,
    AskedCalls1764800000335,
    Drafts1764800000337,
    Brains1764800000338,
    Knowledge1764800000336,
    Tools1764800000339,
    PhoneTexts1764800000341,
    Playground1764800000342,
    KnowledgeFiles1764800000343,
    TokenBudgets1764800000344,
    Approvals1764800000345,
    Evals1764800000348,
    ToolServers1764800000346,
  ],
};
