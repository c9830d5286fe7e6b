import { signatureHeader } from './signature.js';

/** What the body and the headers of a delivery are made of. */
export interface DeliveryContent {
  id: string;
  kind: string;
  /** Event data as JSON, as it was stored. */
  payload: Buffer;
}

/** Bytes of the body: concatenated from what was stored, so that they are the same on every attempt. */
export function deliveryBody({ id, kind, payload }: DeliveryContent): Buffer {
  const head = `{"event":${JSON.stringify(kind)},"deliveryId":${JSON.stringify(id)},"payload":`;
  return Buffer.concat([Buffer.from(head), payload, Buffer.from('}')]);
}

/**
 * Headers of one attempt (specification, "Request headers of each delivery"). Timestamp and signature belong to the
 * attempt: a retry that carried those of the first would be out of the receiver's tolerance.
 */
export function deliveryHeaders(
  { id, kind }: DeliveryContent,
  body: Buffer,
  secret: string,
  nowMs: number,
): Record<string, string> {
  const own = {
    Event: kind,
    'Delivery-Id': id,
    Timestamp: String(nowMs),
    Signature: signatureHeader(secret, nowMs, body),
  };
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    'User-Agent': 'Svc-Webhook/1',
  };
  for (const [name, value] of Object.entries(own)) {
    headers[`X-Svc-${name}`] = value;
    headers[`X-Webhook-${name}`] = value;
  }
  return headers;
}
