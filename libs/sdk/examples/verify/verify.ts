import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Says whether the gateway has signed this body. `header` is `X-Svc-Signature`, `body` the bytes as they arrived; after a rotation
 * `secrets` has the new secret and the old one.
 */
export function isGenuine(body: Uint8Array, header: string, secrets: string[], now = Date.now()): boolean {
  const [, t, v1] = /^t=(\d{1,15}),v1=([0-9a-f]{64})$/.exec(header) ?? [];
  if (!t || !v1 || Math.abs(now - Number(t)) > 300_000) return false; // five minutes, in milliseconds
  const isSignedWith = (secret: string): boolean => {
    const expected = createHmac('sha256', secret).update(`${t}.`).update(body).digest();
    return secret !== '' && timingSafeEqual(expected, Buffer.from(v1, 'hex'));
  };
  return secrets.some(isSignedWith);
}
