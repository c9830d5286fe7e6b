import { createHmac, timingSafeEqual } from 'node:crypto';
import { types } from 'node:util';
import {
  findSignature,
  parseSignature,
  type SignatureFields,
  type WebhookHeaders,
} from './signature-header.js';

/** Options that differ from the defaults. */
export interface VerifyOptions {
  /** Largest distance of the time of signing from `now`, either way; 300,000 (five minutes) by default. */
  toleranceMs?: number;
  /** The receiver's time in Unix milliseconds; the clock of the machine by default. */
  now?: number;
}

/** A genuine delivery. */
export interface WebhookEvent {
  /** Name of what happened, such as `message.received`. */
  event: string;
  /** The same in every attempt of a delivery: keep it to see what was handled already. */
  deliveryId: string;
  /** Event data. */
  payload: Record<string, unknown>;
  /** Time at which this attempt was signed, Unix milliseconds; not that of the event. */
  timestamp: number;
}

/**
 * Reason for which a request is refused:
 *
 * - `missing-signature`: neither `X-Svc-Signature` nor `X-Webhook-Signature` is there.
 * - `malformed-signature`: the header is not `t=<unix ms>,v1=<hex>`.
 * - `timestamp-outside-tolerance`: it was signed too long ago, or the clocks differ.
 * - `body-not-raw`: what was given is no text and no bytes, so a parser was there before.
 * - `signature-mismatch`: another secret, or other bytes than those that were signed.
 * - `malformed-body`: genuinely signed, and no delivery.
 */
export type WebhookRefusal =
  | 'missing-signature'
  | 'malformed-signature'
  | 'timestamp-outside-tolerance'
  | 'body-not-raw'
  | 'signature-mismatch'
  | 'malformed-body';

/** The event, or why there is none; `message` is for the receiver's log and holds no signature. */
export type WebhookResult =
  { ok: true; event: WebhookEvent } | { ok: false; reason: WebhookRefusal; message: string };

const TOLERANCE_MS = 300_000;

/**
 * Checks that a webhook request comes from the gateway, and reads it. Answer 401 where it does not.
 *
 * `rawBody` is the body as it was received: JSON that was parsed and written again has other bytes. With several secrets
 * any of them may have signed: those of several endpoints, or the new and the old one while yours is changed after a
 * rotation. Only what is signed is read, the signature header and the body; other `X-Svc-*` headers are not proven by it.
 *
 * Nothing that a sender can do makes it throw. It throws without a secret: everybody could sign with an empty one.
 */
export function verifyWebhook(
  rawBody: string | Uint8Array | undefined,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceMs = TOLERANCE_MS, now = Date.now() }: VerifyOptions = {},
): WebhookResult {
  const secrets = checkedSecrets(secret);
  const header = findSignature(headers);
  if (header === undefined) return refuse('missing-signature', 'There is no X-Svc-Signature header.');
  const fields = parseSignature(header);
  if (!fields) return refuse('malformed-signature', 'X-Svc-Signature is not t=<unix ms>,v1=<hex>.');
  const timestamp = Number(fields.t);
  // The comparison is not `>`: a tolerance or a time that is no number then refuses everything instead of nothing.
  if (!(Math.abs(now - timestamp) <= toleranceMs)) {
    const message = `Signed ${now - timestamp} ms ago by the clock here; ${toleranceMs} ms are tolerated.`;
    return refuse('timestamp-outside-tolerance', message);
  }
  if (!isRaw(rawBody)) {
    return refuse('body-not-raw', 'The body is no text and no bytes: verify before anything parses it.');
  }
  if (!secrets.some((one) => hasSigned(one, fields, rawBody))) {
    return refuse('signature-mismatch', 'None of the secrets given makes this signature of this body.');
  }
  const delivery = parseDelivery(rawBody);
  if (!delivery) return refuse('malformed-body', 'The body is no JSON of event, deliveryId and payload.');
  return { ok: true, event: { ...delivery, timestamp } };
}

/** Checks the secrets: a variable of the environment that is not set must not open the door. */
function checkedSecrets(secret: string | readonly string[]): readonly string[] {
  const secrets = typeof secret === 'string' ? [secret] : secret;
  if (!secrets?.length || !secrets.every((one) => typeof one === 'string' && one !== '')) {
    throw new TypeError('verifyWebhook needs the secret of the endpoint: it is missing or empty.');
  }
  return secrets;
}

function refuse(reason: WebhookRefusal, message: string): WebhookResult {
  return { ok: false, reason, message };
}

/**
 * Says whether a body is raw; in JavaScript it may be anything. Not `instanceof`: bytes may come from another realm, as they do in Jest.
 */
function isRaw(body: unknown): body is string | Uint8Array {
  return typeof body === 'string' || types.isUint8Array(body);
}

/** Lengths first: only equal ones are compared in constant time, and the length is no secret. */
function hasSigned(secret: string, { t, v1 }: SignatureFields, body: string | Uint8Array): boolean {
  const expected = Buffer.from(createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex'));
  const received = Buffer.from(v1);
  return received.length === expected.length && timingSafeEqual(received, expected);
}

function parseDelivery(rawBody: string | Uint8Array): Omit<WebhookEvent, 'timestamp'> | undefined {
  try {
    const text = typeof rawBody === 'string' ? rawBody : Buffer.from(rawBody).toString('utf8');
    const { event, deliveryId, payload } = JSON.parse(text) as Record<string, unknown>;
    if (typeof event !== 'string' || typeof deliveryId !== 'string' || !isRecord(payload)) return undefined;
    return { event, deliveryId, payload };
  } catch {
    return undefined; // it is no JSON, or `null`
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
