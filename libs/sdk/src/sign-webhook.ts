import { createHmac } from 'node:crypto';

/** A delivery as it goes over the wire. */
export interface SignedWebhook {
  headers: Record<string, string>;
  /** Send these bytes as they are: the signature is of them. */
  body: string;
}

/**
 * Makes a delivery as the gateway does, for tests of a receiver: the same bytes, headers and signature.
 *
 * @param now the time of signing, in ms
 */
export function signWebhook(
  { event, deliveryId, payload }: { event: string; deliveryId: string; payload: object },
  secret: string,
  now: number = Date.now(),
): SignedWebhook {
  if (!secret) throw new TypeError('signWebhook needs a secret.');
  const body = JSON.stringify({ event, deliveryId, payload });
  const signature = `t=${now},v1=${createHmac('sha256', secret).update(`${now}.${body}`).digest('hex')}`;
  const values = { Event: event, 'Delivery-Id': deliveryId, Timestamp: String(now), Signature: signature };
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    'User-Agent': 'Svc-Webhook/1',
  };
  for (const [name, value] of Object.entries(values)) {
    headers[`X-Svc-${name}`] = value;
    headers[`X-Webhook-${name}`] = value;
  }
  return { headers, body };
}
