import { type AuthenticationCreds, BufferJSON, initAuthCreds, proto } from '@whiskeysockets/baileys';
import type { Credentials } from '../../port.js';

/** Wraps the library's credentials, which its sockets change in place. */
export class WhatsAppCredentials implements Credentials {
  constructor(readonly creds: AuthenticationCreds = initAuthCreds()) {}

  static from(bytes: Buffer): WhatsAppCredentials {
    return new WhatsAppCredentials(deserialize(bytes) as AuthenticationCreds);
  }

  /** `registered` stays false after a QR link. */
  get isLinked(): boolean {
    return Boolean(this.creds.me?.id && this.creds.account);
  }

  get isHalfLinked(): boolean {
    return Boolean(this.creds.me) && !this.isLinked;
  }

  toBytes(): Buffer {
    return serialize(this.creds);
  }
}

/** Writes JSON that keeps the library's buffers. */
export function serialize(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value, BufferJSON.replacer));
}

/** Reads what `serialize` wrote; `type` restores what JSON alone cannot. */
export function deserialize(bytes: Buffer, type?: string): unknown {
  const value: unknown = JSON.parse(bytes.toString('utf8'), BufferJSON.reviver);
  if (type !== 'app-state-sync-key') return value;
  return proto.Message.AppStateSyncKeyData.fromObject(value as Record<string, unknown>);
}
