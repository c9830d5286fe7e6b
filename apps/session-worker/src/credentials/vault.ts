import { hkdfSync } from 'node:crypto';
import { headerOf, SecretBox, type SecretKey, secretKey } from '@svc/service';

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

  private readonly masters: Buffer[];

  /**
   * @param masterKey 32 bytes in base64.
   * @param predecessors open what was sealed with them.
   */
  constructor(masterKey: string, ...predecessors: string[]) {
    this.masters = [masterKey, ...predecessors].map((key) => Buffer.from(key, 'base64'));
  }

  /** First bytes of what is sealed with the master key. */
  get header(): Buffer {
    return headerOf(secretKey(this.masters[0] as Buffer));
  }

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

  /**
   * Seals anew what was sealed with another master key.
   * @returns undefined where there is nothing to do.
   * @throws UnreadableSecretError
   */
  reseal(row: SecretRow, sealed: Buffer): Buffer | undefined {
    try {
      return this.boxOf(row.sessionId).reseal(sealed, parts(row));
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
      const [key, ...predecessors] = this.masters.map((master) =>
        secretKey(Buffer.from(hkdfSync('sha256', master, sessionId, 'session-secrets', 32)), master),
      );
      box = new SecretBox(key as SecretKey, ...predecessors);
      this.boxes.set(sessionId, box);
      if (this.boxes.size > MOST_KEYS) this.boxes.delete(this.boxes.keys().next().value as string);
    }
    return box;
  }
}

/** Names the place of the credentials of a session. */
export const credentialRow = (sessionId: string): SecretRow => ({
  ...{ sessionId, table: 'credential', row: 'credentials' },
});

/** Names the place of a key of a session. */
export const signalKeyRow = (sessionId: string, type: string, keyId: string): SecretRow => ({
  ...{ sessionId, table: 'signal_key', row: `${type}|${keyId}` },
});

/** Names the place of the proxy of a session. */
export const proxyRow = (sessionId: string): SecretRow => ({ sessionId, table: 'session', row: 'proxy' });

const parts = ({ table, sessionId, row }: SecretRow): string[] => [table, 'sealed', sessionId, row];
