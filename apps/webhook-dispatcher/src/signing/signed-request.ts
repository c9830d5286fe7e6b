import { signatureHeader, standardSignatures } from './signature.js';

const CLOSING_BRACE = 0x7d;

/** What the body and the headers of a delivery are made of. */
export interface DeliveryContent {
  id: string;
  kind: string;
  /** Event data as JSON, as it was stored. */
  payload: Buffer;
}

/** What signs the attempts of an endpoint, and what they carry besides. */
export interface Signing {
  secret: string;
  /** Secrets that sign the headers of Standard Webhooks, the newest first; empty where the endpoint does without. */
  standardSecrets: readonly string[];
  /** Custom headers; their names are none of ours. */
  headers: Readonly<Record<string, string>>;
}

/** Bytes of the body: concatenated from what was stored, so that they are the same on every attempt. */
export function deliveryBody({ id, kind, payload }: DeliveryContent): Buffer {
  const head = `{"event":${JSON.stringify(kind)},"deliveryId":${JSON.stringify(id)},"payload":`;
  const start = Buffer.byteLength(head);
  const body = Buffer.allocUnsafe(start + payload.length + 1);
  body.write(head);
  body.set(payload, start);
  body[body.length - 1] = CLOSING_BRACE;
  return body;
}

/**
 * Headers of one attempt (specification, "Request headers of each delivery"). Timestamp and signature belong to the
 * attempt: a retry that carried those of the first would be out of the receiver's tolerance.
 */
export function deliveryHeaders(
  { id, kind }: DeliveryContent,
  body: Buffer,
  { secret, standardSecrets, headers: custom }: Signing,
  nowMs: number,
): Record<string, string> {
  const timestamp = String(nowMs);
  const signature = signatureHeader(secret, nowMs, body);
  const own = {
    'Content-Type': 'application/json',
    'User-Agent': 'Svc-Webhook/1',
    'X-Svc-Event': kind,
    'X-Webhook-Event': kind,
    'X-Svc-Delivery-Id': id,
    'X-Webhook-Delivery-Id': id,
    'X-Svc-Timestamp': timestamp,
    'X-Webhook-Timestamp': timestamp,
    'X-Svc-Signature': signature,
    'X-Webhook-Signature': signature,
  };
  const hasStandard = standardSecrets.length > 0;
  if (!hasStandard && Object.keys(custom).length === 0) return own; // an object that is put together costs more
  return { ...custom, ...own, ...(hasStandard ? standardHeaders(id, body, standardSecrets, nowMs) : {}) };
}

/** Time in seconds there, in milliseconds in ours. */
function standardHeaders(
  id: string,
  body: Buffer,
  secrets: readonly string[],
  nowMs: number,
): Record<string, string> {
  const seconds = Math.floor(nowMs / 1000);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': standardSignatures(secrets, id, seconds, body),
  };
}
