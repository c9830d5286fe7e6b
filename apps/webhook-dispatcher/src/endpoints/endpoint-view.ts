import type { WebhookEndpoint } from '@svc/contracts';
import type { Endpoint } from './endpoint.entity.js';

/** What others see of an endpoint: everything but the secret and our bookkeeping. */
export function toView(endpoint: Endpoint): WebhookEndpoint {
  const { id, name, url, events, state, pausedReason, pausedAt, sessionId, createdAt } = endpoint;
  return {
    id,
    name,
    url,
    events,
    status: state,
    pausedReason,
    pausedAt: pausedAt?.toISOString() ?? null,
    sessionId,
    createdAt: createdAt.toISOString(),
  };
}
