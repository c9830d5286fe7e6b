import type { components, webhooks } from './openapi-typescript.js';

export type Schemas = components['schemas'];
export type Hook = webhooks['message.received'];
