import { isDeepStrictEqual } from 'node:util';
import { type Envelope, WebhookChanged, type WebhookChangedV1 } from '@svc/contracts';
import { eventOf, insertEvents } from '@svc/service';
import type { EntityManager } from 'typeorm';
import type { Endpoint } from './endpoint.entity.js';

/** Whom the audit log names where the asker did not say who asks. */
const NOBODY = 'system';
/** What a tenant sets. Pauses, reactivations and rotations leave traces of their own. */
const FIELDS = ['name', 'url', 'events', 'headers', 'standardWebhooks', 'ordering'] as const;

/** A change as the audit log gets it. */
interface Trace extends Pick<WebhookChangedV1, 'change'> {
  fields?: string[];
  actor: string | undefined;
  now: Date;
}

/** Names of the fields that differ; sealed headers differ when they were given anew. */
export function changedFields(before: Endpoint, after: Endpoint): string[] {
  return FIELDS.filter((field) => !isDeepStrictEqual(before[field], after[field]));
}

/**
 * Writes what the audit log is told of an endpoint into the outbox, in the transaction that has changed it: no path of its
 * address, no value of a header, no secret.
 * @returns the event, to be published after the commit.
 */
export async function insertTrace(
  tx: EntityManager,
  { id: endpointId, tenantId, sessionId, name, url }: Endpoint,
  { change, fields = [], actor = NOBODY, now }: Trace,
): Promise<Envelope> {
  const { origin } = new URL(url);
  const timestamp = now.toISOString();
  const data = { endpointId, sessionId, change, name, origin, fields, actor, timestamp };
  const event = eventOf(WebhookChanged, tenantId, data);
  await insertEvents(tx, [event]);
  return event;
}
