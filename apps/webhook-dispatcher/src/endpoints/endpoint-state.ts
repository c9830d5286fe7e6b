import type { AuditLine } from './endpoint-audit.js';
import type { Endpoint } from './endpoint.entity.js';

type State = Pick<Endpoint, 'state' | 'wasPaused'>;

/** Disables an endpoint, or enables it again. A pause outlasts that: it is lifted by a reactivation, or by another address. */
export function switchEndpoint(row: Endpoint, enabled: boolean): void {
  if (!enabled) {
    row.wasPaused ||= row.state === 'PAUSED';
    row.state = 'DISABLED';
  } else if (row.state === 'DISABLED') {
    row.state = row.wasPaused ? 'PAUSED' : 'ACTIVE';
    row.wasPaused = false;
  }
}

/** Says whether a change of an endpoint has paused it: its tenant is told. */
export function isNewPause(before: State, after: State): boolean {
  return isPaused(after) && !isPaused(before);
}

/**
 * Brings about what follows from a change of the address or the state of an endpoint.
 * @param before the endpoint before the change.
 * @returns what the audit log has to say of it.
 */
export function applyState(endpoint: Endpoint, before: Endpoint, now: Date): AuditLine[] {
  // Another address lifts a pause: who gives it has seen what became of the old one.
  const isMoved = endpoint.url !== before.url && isPaused(endpoint);
  if (isMoved) {
    if (endpoint.state === 'PAUSED') endpoint.state = 'ACTIVE';
    endpoint.wasPaused = false;
  }
  if (isNewPause(before, endpoint)) {
    endpoint.pausedReason = 'REQUESTED';
    endpoint.pausedAt = now;
    endpoint.pausedRun = endpoint.consecPerm4xx;
    endpoint.recovering = false;
  }
  if (isPaused(before) && !isPaused(endpoint)) endpoint.recovering = true;
  if (endpoint.state === 'ACTIVE' && before.state !== 'ACTIVE') {
    endpoint.generation += 1;
    endpoint.consecPerm4xx = 0;
  }
  countUnwell(endpoint, before, now);
  if (!isMoved) return [];
  return [{ action: 'webhook.reactivated', target: endpoint.id, reason: NEW_ADDRESS, details: {} }];
}

/** Counts since when an endpoint is unwell: a pause begins it, and a reactivation or another address ends it. */
function countUnwell(endpoint: Endpoint, before: Endpoint, now: Date): void {
  const { state, failoverMinutes } = endpoint;
  if (state === 'DISABLED') endpoint.failoverStep = null;
  if (state === 'DISABLED' || failoverMinutes === null) endpoint.unwellSince = null;
  else if (state === 'PAUSED') endpoint.unwellSince ??= now;
  else if (before.state === 'PAUSED' || endpoint.url !== before.url) endpoint.unwellSince = null;
}

const NEW_ADDRESS = 'It has a new address.';

function isPaused({ state, wasPaused }: State): boolean {
  return state === 'PAUSED' || wasPaused;
}
