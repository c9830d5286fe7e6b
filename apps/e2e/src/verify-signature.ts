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
