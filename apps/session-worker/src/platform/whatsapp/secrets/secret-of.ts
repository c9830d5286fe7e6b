import { createHmac } from 'node:crypto';
import { proto, unpadRandomMax16 } from '@whiskeysockets/baileys';

/** Most envelopes around a message, each of which may have the secret. */
const MOST_ENVELOPES = 8;

/** Reads the secrets in a padded plaintext: one that is none has none. */
export function secretsIn(plaintext: Uint8Array): Uint8Array[] {
  try {
    return secretsOf(proto.Message.decode(unpadRandomMax16(plaintext)));
  } catch {
    return [];
  }
}

function secretsOf(message: proto.IMessage): Uint8Array[] {
  const secrets: Uint8Array[] = [];
  let inner: proto.IMessage | undefined = message;
  for (let depth = 0; inner && depth < MOST_ENVELOPES; depth += 1) {
    const secret = inner.messageContextInfo?.messageSecret;
    if (secret?.length) secrets.push(secret);
    inner = Object.values(inner)
      .map((value: unknown) => (Object(value) as { message?: proto.IMessage | null }).message)
      .find((within) => typeof within === 'object' && within !== null);
  }
  return secrets;
}

/** Makes the secret that a message of the session had before each row had one of its own. */
export function derivedSecret(advSecretKey: string, keyId: string): Buffer {
  return createHmac('sha256', advSecretKey).update(keyId).digest();
}
