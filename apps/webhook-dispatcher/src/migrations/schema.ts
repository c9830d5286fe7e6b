import { Webhooks1763800000000 } from './1763800000000-webhooks.js';

/** The schema this service owns and its migrations, in order. */
export const schema = { schema: 'webhooks', migrations: [Webhooks1763800000000] };
