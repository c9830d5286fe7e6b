import type { DeliveryBody, WebhookReceiver } from '@svc/testing';

/** One delivery as the receiver saw it. */
export interface Heard {
  deliveryId: string;
  at: number;
}

/** Deliveries by what they tell: an event and its job, or an event and its text. */
export function heardByFact(receiver: WebhookReceiver): Map<string, Heard[]> {
  const heard = new Map<string, Heard[]>();
  for (const [n, { event, deliveryId, payload }] of receiver.bodies().entries()) {
    const about = payload['jobId'] ?? wordsOf(payload);
    const fact = `${event} ${String(about)}`;
    const one = { deliveryId, at: receiver.received[n]?.at ?? 0 };
    const others = heard.get(fact);
    if (others) others.push(one);
    else heard.set(fact, [one]);
  }
  return heard;
}

/** Of a message with a file: of one whose file was stored, the words below it. */
function wordsOf({ body, media }: DeliveryBody['payload']): string | undefined {
  const { text, caption } = (body ?? {}) as { text?: string; caption?: string };
  const isStored = (media as { status?: string } | null | undefined)?.status === 'STORED';
  return text ?? (isStored ? caption : undefined);
}

/** How long sessions were away, as their tenants were told. */
export interface ToldGaps {
  longestMs: number;
  /** From a disconnect to the next connect. */
  gaps: number;
  /** Sessions whose last word was that they are away. */
  stillAway: number;
}

/** Gaps between `session.disconnected` and `session.connected`, by the times in the webhooks: they may come in any order. */
export function toldGaps(bodies: DeliveryBody[]): ToldGaps {
  const told: ToldGaps = { longestMs: 0, gaps: 0, stillAway: 0 };
  const awaySince = new Map<string, number>();
  for (const { event, sessionId, at } of inOrder(bodies)) {
    const since = awaySince.get(sessionId);
    if (event === 'session.disconnected') {
      awaySince.set(sessionId, since ?? at);
    } else if (since !== undefined) {
      awaySince.delete(sessionId);
      told.gaps += 1;
      told.longestMs = Math.max(told.longestMs, at - since);
    }
  }
  return { ...told, stillAway: awaySince.size };
}

function inOrder(bodies: DeliveryBody[]): { event: string; sessionId: string; at: number }[] {
  return bodies
    .filter(({ event }) => event === 'session.disconnected' || event === 'session.connected')
    .map(({ event, payload }) => ({
      event,
      sessionId: String(payload['sessionId']),
      at: Date.parse(String(payload['timestamp'])),
    }))
    .sort((a, b) => a.at - b.at || b.event.localeCompare(a.event)); // of one moment: away, then back
}
