import { createHmac, randomBytes } from 'node:crypto';

/** Makes a secret of the form that the gateway gives. */
export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** Writes the signature header from the specification alone ("Signature"). */
export function signatureOf(secret: string, t: number | string, body: string | Uint8Array): string {
  const signed = Buffer.concat([Buffer.from(`${t}.`), Buffer.from(body as Uint8Array)]);
  return `t=${t},v1=${createHmac('sha256', secret).update(signed).digest('hex')}`;
}

/** Writes the body of a delivery. */
export const deliveryOf = (payload: unknown): string =>
  JSON.stringify({ event: 'message.received', deliveryId: 'delivery-1', payload });
