import { createHmac } from 'node:crypto';
import type { ReceivedWebhook } from '@svc/testing';

const TOLERANCE_MS = 300_000;

/** Whether a delivery is genuine, written from the specification alone ("Signature"): no line of ours is shared. */
export function isGenuine({ headers, raw }: ReceivedWebhook, secret: string, now = Date.now()): boolean {
  const fields = Object.fromEntries(
    String(headers['x-svc-signature'])
      .split(',')
      .map((field) => field.split('=')),
  );
  const { t, v1 } = fields as { t?: string; v1?: string };
  if (!t || !v1 || Math.abs(now - Number(t)) > TOLERANCE_MS) return false;
  return createHmac('sha256', secret).update(`${t}.`).update(raw).digest('hex') === v1;
}

/** Whether one of its Standard Webhooks signatures is made with a secret, written from their specification alone. */
export function isStandard({ headers, raw }: ReceivedWebhook, secret: string): boolean {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.`;
  const signature = createHmac('sha256', key).update(signed).update(raw).digest('base64');
  return String(headers['webhook-signature']).split(' ').includes(`v1,${signature}`);
}
