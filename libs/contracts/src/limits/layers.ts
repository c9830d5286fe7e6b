/** Layers of limits whose refusal is a 429, as `meta.layer` names them, with what each of them bounds. */
export const LAYERS = {
  session: 'messages a day of the warmup tier',
  plan: 'messages a day or sessions of the plan',
  tokens: 'tokens a month of a plan that blocks',
  request: 'requests a second',
  platform: 'new chats that the platform allows',
  schedule: 'messages that wait for their time',
  erasure: 'erasures that wait',
  streams: 'event streams that are open',
} as const;

/** Name of a layer. */
export type Layer = keyof typeof LAYERS;

/** All layers in words, for the pages about errors. */
export const LAYERS_IN_WORDS = Object.entries(LAYERS)
  .map(([layer, bounds]) => `${layer} (${bounds})`)
  .join(', ');
