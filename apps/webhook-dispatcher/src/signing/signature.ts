import { createHmac } from 'node:crypto';

/**
 * Value of the signature header: `t=<unix ms>,v1=<hex>`, HMAC-SHA256 over `<t>.<raw body>` (specification, "Signature").
 * The key is the whole secret string, `whsec_` included.
 */
export function signatureHeader(secret: string, timestampMs: number, body: Buffer): string {
  const v1 = createHmac('sha256', secret).update(`${timestampMs}.`).update(body).digest('hex');
  return `t=${timestampMs},v1=${v1}`;
}

/**
 * Value of `webhook-signature` of Standard Webhooks: `v1,<base64>` per secret, HMAC-SHA256 over
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
