import type { DeliveryBody, WebhookReceiver } from '@svc/testing';

/** A delivery as the receiver saw it. */
export interface Delivery {
  deliveryId: string;
  at: number;
}

/** Groups deliveries by their fact: an event and its job, or an event and its text. */
export function deliveriesByFact(receiver: WebhookReceiver): Map<string, Delivery[]> {
  const deliveries = new Map<string, Delivery[]>();
  for (const [n, { event, deliveryId, payload }] of receiver.bodies().entries()) {
    const about = payload['jobId'] ?? wordsOf(payload);
    const fact = `${event} ${String(about)}`;
    const one = { deliveryId, at: receiver.received[n]?.at ?? 0 };
    const others = deliveries.get(fact);
    if (others) others.push(one);
    else deliveries.set(fact, [one]);
  }
  return deliveries;
}

/** Returns the text of a message, or the caption of its file where that was stored. */
function wordsOf({ body, media }: DeliveryBody['payload']): string | undefined {
  const { text, caption } = (body ?? {}) as { text?: string; caption?: string };
  const isStored = (media as { status?: string } | null | undefined)?.status === 'STORED';
  return text ?? (isStored ? caption : undefined);
}

/** The gaps in which sessions were away, by the webhooks of their tenants. */
export interface SessionGaps {
  longestMs: number;
  /** Longest time from a disconnect to the next connect, in ms. */
  gaps: number;
  /** Number of sessions whose last event was that they are away. */
  stillAway: number;
}

/** Finds the gaps between `session.disconnected` and `session.connected`, by the times in the webhooks: they may come in any order. */
export function sessionGaps(bodies: DeliveryBody[]): SessionGaps {
  const found: SessionGaps = { longestMs: 0, gaps: 0, stillAway: 0 };
  const awaySince = new Map<string, number>();
  for (const { event, sessionId, at } of inOrder(bodies)) {
    const since = awaySince.get(sessionId);
    if (event === 'session.disconnected') {
      awaySince.set(sessionId, since ?? at);
    } else if (since !== undefined) {
      awaySince.delete(sessionId);
      found.gaps += 1;
      found.longestMs = Math.max(found.longestMs, at - since);
    }
  }
  return { ...found, stillAway: awaySince.size };
}

function inOrder(bodies: DeliveryBody[]): { event: string; sessionId: string; at: number }[] {
  return bodies
    .filter(({ event }) => event === 'session.disconnected' || event === 'session.connected')
    .map(({ event, payload }) => ({
      event,
      sessionId: String(payload['sessionId']),
      at: Date.parse(String(payload['timestamp'])),
    }))
    .sort((a, b) => a.at - b.at || b.event.localeCompare(a.event)); // two of one moment: away, then back
}
