import { Sessions1763700000000 } from './1763700000000-sessions.js';

/** The schema this service owns and its migrations, in order. */
export const schema = { schema: 'sessions', migrations: [Sessions1763700000000] };
