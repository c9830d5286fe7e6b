import { AppError, type ErrorMeta } from '../app-error.js';
import type { Layer } from './layers.js';
import type { TokenRefusal } from '../requests/billing/billing.js';
import type { LimitRefusal } from '../requests/limits/limits.js';
import { TIER_CAPS } from '../requests/limits/tiers.js';

/** Sentence for a limit of sessions, whose refusal says until when the day lasts as every other does (specification, "Limits"). */
export const MORE_SESSIONS =
  'Waiting does not help, whatever Retry-After says: delete a session, or take a larger plan.';

/** Sentence for a number that has a higher tier before it; the criteria are those that `limits` has by default. */
const HIGHER_TIER =
  'It rises by itself where half of that is used on half of the days and 15 % of the contacts reply, as far as the operator has not set it otherwise: ' +
  'GET /v1/sessions/:id/warmup says what is missing. A number that sends notices only is raised by hand: POST /v1/sessions/:id/promote-warmup-tier.';
const HIGHEST_CAP = Math.max(...TIER_CAPS);

const RULES: Record<(LimitRefusal | TokenRefusal)['layer'], (limit: number) => string> = {
  session: (limit) =>
    `The messages of this session for today are used up: its warmup tier allows ${limit} a day.${limit < HIGHEST_CAP ? ` ${HIGHER_TIER}` : ''}`,
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
