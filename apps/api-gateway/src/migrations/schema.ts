import { Gateway1763700000000 } from './1763700000000-gateway.js';

/** The schema this service owns and its migrations, in order. */
export const schema = { schema: 'gateway', migrations: [Gateway1763700000000] };
