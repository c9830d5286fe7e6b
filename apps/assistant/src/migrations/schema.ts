import { Assistant1764800000331 } from './1764800000331-assistant.js';
import { Publications1764800000332 } from './1764800000332-publications.js';
import { Handoffs1764800000333 } from './1764800000333-handoffs.js';
import { Knowledge1764800000336 } from './1764800000336-knowledge.js';

/** The schema this service owns: its migrations, in order. */
export const schema = {
  schema: 'assistant',
  migrations: [
    Assistant1764800000331,
    Publications1764800000332,
    Handoffs1764800000333,
    Knowledge1764800000336,
  ],
};
