import type { DayUsage } from '@svc/contracts';

const DAY_SECONDS = 86_400;

/**
 * Header fields of the IETF draft "RateLimit header fields for HTTP": each layer by its name, with its quota of a day and
 * what is left of it. A layer that does not bind (the vendor's own tenant) is left out.
 */
export function rateLimitFields(usage: DayUsage): Record<'ratelimit-policy' | 'ratelimit', string> {
  const { sessionLimit, sessionUsed, planLimit, planUsed, secondsLeft } = usage;
  const layers = [{ name: 'session', limit: sessionLimit, used: sessionUsed }];
  if (planLimit !== null) layers.push({ name: 'plan', limit: planLimit, used: planUsed });
  const field = (write: (layer: (typeof layers)[number]) => string): string => layers.map(write).join(', ');
  return {
    'ratelimit-policy': field(({ name, limit }) => `"${name}";q=${limit};w=${DAY_SECONDS}`),
    ratelimit: field(({ name, limit, used }) => `"${name}";r=${Math.max(0, limit - used)};t=${secondsLeft}`),
  };
}
