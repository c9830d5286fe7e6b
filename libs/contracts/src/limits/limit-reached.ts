import { AppError, type ErrorMeta } from '../app-error.js';
import type { Layer } from './layers.js';
import type { TokenRefusal } from '../requests/billing/billing.js';
import type { LimitRefusal } from '../requests/limits/limits.js';

const RULES: Record<(LimitRefusal | TokenRefusal)['layer'], (limit: number) => string> = {
  session: (limit) =>
    `The messages of this session for today are used up: its warmup tier allows ${limit} a day.`,
  plan: (limit) => `The messages of the plan for today are used up: it allows ${limit} a day.`,
  tokens: (limit) => `The tokens of the plan for this month are used up: it includes ${limit}.`,
};

/**
 * The refusal of a limit that is used up. Its words name the limit that was met; `meta` names the layer, which is one of those that the pages
 * about errors list.
 */
export function limitReached(layer: Layer, words: string, meta: ErrorMeta): AppError {
  return new AppError('RATE_LIMITED', words, { layer, ...meta });
}

/** The refusal of messages for which a session or its plan has no room, until the day ends, or the month. */
export function messagesReached({ layer, ...meta }: LimitRefusal | TokenRefusal): AppError {
  return limitReached(layer, RULES[layer](meta.limit), meta);
}
