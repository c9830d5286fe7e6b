import { hkdfSync } from 'node:crypto';
import { SecretBox, secretKey } from '@svc/service';

/** The row of a secret of a session. */
export interface SecretRow {
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

  constructor({ table, sessionId }: SecretRow) {
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

  seal(row: SecretRow, plain: Uint8Array): Buffer {
    return this.boxOf(row.sessionId).seal(plain, parts(row));
  }

  /** @throws UnreadableSecretError */
  open(row: SecretRow, sealed: Buffer): Buffer {
    try {
      return this.boxOf(row.sessionId).open(sealed, parts(row));
    } catch {
      throw new UnreadableSecretError(row);
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

const parts = ({ table, sessionId, row }: SecretRow): string[] => [table, 'sealed', sessionId, row];
