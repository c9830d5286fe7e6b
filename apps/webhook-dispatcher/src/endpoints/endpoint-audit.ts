import { isDeepStrictEqual } from 'node:util';
import type { AuditFact } from '@svc/contracts';
import { auditFactOf } from '@svc/service';
import type { Endpoint } from './endpoint.entity.js';

/** A line of the audit log, before the transaction says who made the change and when. */
export type AuditLine = Pick<AuditFact, 'action' | 'target' | 'reason' | 'details'>;

/** Actor of a change, and its time, in domain time. */
export interface AuditOrigin {
  /** Actor of the change; undefined where the request named none. */
  actor: string | undefined;
  at: Date;
}

/** The actor in the audit log where the request did not name one. */
const UNKNOWN_ACTOR = 'system';
/** Fields that a tenant sets. Pauses, reactivations and rotations have lines of their own. */
const FIELDS = [
  ...(['name', 'url', 'events', 'hears', 'headers', 'standardWebhooks', 'ordering'] as const),
  'failoverMinutes',
] as const;

/** Describes a change of an endpoint: no path of its address, no value of a header, no secret. */
export function changeLine(
  change: 'created' | 'updated' | 'deleted',
  { id, sessionId, name, url }: Endpoint,
  more: object = {},
): AuditLine {
  const details = { name, origin: new URL(url).origin, ...(sessionId && { sessionId }), ...more };
  return { action: `webhook.${change}`, target: id, details };
}

/** Describes an update by the fields that differ; sealed headers differ when they were set anew. Empty where none does. */
export function updateLines(before: Endpoint, after: Endpoint): AuditLine[] {
  const fields = FIELDS.filter((field) => !isDeepStrictEqual(before[field], after[field]));
  return fields.length > 0 ? [changeLine('updated', after, { fields })] : [];
}

/** Makes the facts of lines. */
export function factsOf(
  tenantId: string,
  lines: AuditLine[],
  { actor = UNKNOWN_ACTOR, at }: AuditOrigin,
): AuditFact[] {
  return lines.map((line) => auditFactOf({ ...line, tenantId, actor, at }));
}
