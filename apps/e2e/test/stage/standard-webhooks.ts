import { createHmac } from 'node:crypto';
import type { ReceivedWebhook } from '@svc/testing';

/** Says whether one of its Standard Webhooks signatures is made with a secret, written from their specification alone. */
export function isStandard(
  { headers, raw }: Pick<ReceivedWebhook, 'headers' | 'raw'>,
  secret: string,
): boolean {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.`;
  const signature = createHmac('sha256', key).update(signed).update(raw).digest('base64');
  return String(headers['webhook-signature']).split(' ').includes(`v1,${signature}`);
}
