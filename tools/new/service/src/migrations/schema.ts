import { Entries1700000000000 } from './1700000000000-entries.js';

/** The schema this service owns and its migrations, in order. */
export const schema = {
  schema: 'new_service',
  migrations: [Entries1700000000000],
};
