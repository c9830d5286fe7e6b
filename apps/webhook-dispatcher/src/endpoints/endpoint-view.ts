import { HIDDEN_VALUE, type WebhookEndpoint } from '@svc/contracts';
import { hearsOf } from '../filters/hears.js';
import type { Endpoint } from './endpoint.entity.js';

/** Makes the view that others see of an endpoint: everything but its secrets and our bookkeeping. */
export function toView(endpoint: Endpoint): WebhookEndpoint {
  const { id, name, url, events, hears, state, standardWebhooks, ordering, sessionId, createdAt } = endpoint;
  return {
    id,
    name,
    url,
    events,
    hears: hearsOf(hears),
    status: state,
    headers: Object.fromEntries(Object.keys(endpoint.headers).map((header) => [header, HIDDEN_VALUE])),
    standardWebhooks,
    ordering,
    ...pauseOf(endpoint),
    sessionId,
    createdAt: createdAt.toISOString(),
  };
}

/** Reads the actor, reason and time of a pause, while it lasts: the row has the last pause after its end, too. */
function pauseOf({
  state,
  pausedReason,
  pausedAt,
  stateChange,
}: Endpoint): Pick<WebhookEndpoint, 'pausedReason' | 'pausedBy' | 'pausedNote' | 'pausedAt'> {
  if (state !== 'PAUSED') return { pausedReason: null, pausedBy: null, pausedNote: null, pausedAt: null };
  const request = pausedReason === 'REQUESTED' ? stateChange : null;
  return {
    pausedReason,
    pausedBy: request?.actor ?? null,
    pausedNote: request?.reason ?? null,
    pausedAt: pausedAt?.toISOString() ?? null,
  };
}
