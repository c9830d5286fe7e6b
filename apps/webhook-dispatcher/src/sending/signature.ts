import { createHmac } from 'node:crypto';

/**
 * Value of the signature header: `t=<unix ms>,v1=<hex>`, HMAC-SHA256 over `<t>.<raw body>` (specification, "Signature").
 * The key is the whole secret string, `whsec_` included.
 */
export function signatureHeader(secret: string, timestampMs: number, body: Buffer): string {
  const v1 = createHmac('sha256', secret).update(`${timestampMs}.`).update(body).digest('hex');
  return `t=${timestampMs},v1=${v1}`;
}
