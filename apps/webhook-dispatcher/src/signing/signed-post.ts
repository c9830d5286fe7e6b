import { createHmac } from 'node:crypto';
import type { PostLimits } from '@svc/outbound-http';

const CLOSING_BRACE = 0x7d;

/** The content of a delivery: its body and its headers are made of it. */
export interface DeliveryContent {
  id: string;
  kind: string;
  /** Event data as JSON, as it was stored. */
  payload: Buffer;
}

/** The secrets that sign the attempts of an endpoint, and the headers that they carry besides. */
export interface Signing {
  secret: string;
  /** Secrets that sign the headers of Standard Webhooks, the newest first; empty where the endpoint does without. */
  standardSecrets: readonly string[];
  /** Custom headers; their names are none of ours. */
  headers: Readonly<Record<string, string>>;
}

/** Concatenates the bytes of the body from what was stored, so that they are the same on every attempt. */
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
 * Makes the headers of one attempt (specification, "Request headers of each delivery"). Timestamp and signature belong to the
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

/** Makes the headers of Standard Webhooks, whose time is in seconds; ours is in milliseconds. */
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

/**
 * Signs a body for the signature header: `t=<unix ms>,v1=<hex>`, HMAC-SHA256 over `<t>.<raw body>` (specification, "Signature").
 * The key is the whole secret string, `whsec_` included.
 */
export function signatureHeader(secret: string, timestampMs: number, body: Buffer): string {
  const v1 = createHmac('sha256', secret).update(`${timestampMs}.`).update(body).digest('hex');
  return `t=${timestampMs},v1=${v1}`;
}

/**
 * Signs a body for `webhook-signature` of Standard Webhooks: `v1,<base64>` per secret, HMAC-SHA256 over
 * `<id>.<unix seconds>.<raw body>`. The key is what the base64 after `whsec_` stands for.
 */
export function standardSignatures(
  secrets: readonly string[],
  id: string,
  timestampS: number,
  body: Buffer,
): string {
  const sign = (secret: string): string => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestampS}.`).update(body).digest('base64')}`;
  };
  return secrets.map(sign).join(' ');
}

/** Makes the limits of one attempt: little of an answer is stored for the log, a little more is read to reuse the connection. */
export function postLimits(timeoutMs: number): PostLimits {
  return { timeoutMs, headBytes: 4 * 1024, drainBytes: 64 * 1024 };
}
