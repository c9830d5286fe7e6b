import { hkdfSync } from 'node:crypto';
import { SecretBox, secretKey } from '@svc/service';

/** Place of a secret of a session. */
export interface Place {
  sessionId: string;
  table: 'credential' | 'signal_key' | 'session';
  /** Key of the row within the session. */
  row: string;
}

/** Most derived keys in memory; the oldest goes, and is derived anew when its session needs it. */
const MOST_KEYS = 10_000;

/** Error of a value that was altered, lies elsewhere, or was sealed with another master key. */
export class UnreadableSecretError extends Error {
  override readonly name = 'UnreadableSecretError';

  constructor({ table, sessionId }: Place) {
    super(`A row of ${table} of session ${sessionId} does not open with this CREDENTIALS_KEY.`);
  }
}

/**
 * Seals the secrets of sessions. Each session has a key of its own, derived from the master key, so that the number of
 * writes under one key stays small: random nonces of 96 bits are safe for some 2^32 of them.
 */
export class Vault {
  /** Boxes by session: every replica that seals a proxy has one, and does not learn of the end of a session that runs elsewhere. */
  private readonly boxes = new Map<string, SecretBox>();

  /** @param masterKey 32 bytes in base64. */
  constructor(private readonly masterKey: string) {}

  seal(place: Place, plain: Uint8Array): Buffer {
    return this.boxOf(place.sessionId).seal(plain, parts(place));
  }

  /** @throws UnreadableSecretError */
  open(place: Place, sealed: Buffer): Buffer {
    try {
      return this.boxOf(place.sessionId).open(sealed, parts(place));
    } catch {
      throw new UnreadableSecretError(place);
    }
  }

  /** Drops the derived key of a session that this process no longer holds. */
  forget(sessionId: string): void {
    this.boxes.delete(sessionId);
  }

  private boxOf(sessionId: string): SecretBox {
    let box = this.boxes.get(sessionId);
    if (!box) {
      const master = Buffer.from(this.masterKey, 'base64');
      const derived = Buffer.from(hkdfSync('sha256', master, sessionId, 'session-secrets', 32));
      box = new SecretBox(secretKey(derived, master));
      this.boxes.set(sessionId, box);
      if (this.boxes.size > MOST_KEYS) this.boxes.delete(this.boxes.keys().next().value as string);
    }
    return box;
  }
}

const parts = ({ table, sessionId, row }: Place): string[] => [table, 'sealed', sessionId, row];
