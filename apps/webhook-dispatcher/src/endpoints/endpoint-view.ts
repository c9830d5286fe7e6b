import type { WebhookEndpoint } from '@svc/contracts';
import type { Endpoint } from './endpoint.entity.js';

/** What others see of an endpoint: everything but the secret and our bookkeeping. */
export function toView(endpoint: Endpoint): WebhookEndpoint {
  const { id, name, url, events, state, sessionId, createdAt } = endpoint;
  const paused = state === 'PAUSED';
  return {
    id,
    name,
    url,
    events,
    status: state,
    pausedReason: paused ? endpoint.pausedReason : null,
    pausedAt: (paused && endpoint.pausedAt?.toISOString()) || null,
    sessionId,
    createdAt: createdAt.toISOString(),
  };
}
