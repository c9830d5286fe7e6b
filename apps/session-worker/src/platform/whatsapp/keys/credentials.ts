import { type AuthenticationCreds, initAuthCreds } from '@whiskeysockets/baileys';
import type { Credentials } from '../../port.js';
import { deserialize, serialize } from './key-store.js';

/** Wraps the library's credentials, which its sockets change in place. */
export class WhatsAppCredentials implements Credentials {
  constructor(readonly creds: AuthenticationCreds = initAuthCreds()) {}

  static from(bytes: Buffer): WhatsAppCredentials {
    return new WhatsAppCredentials(deserialize(bytes) as AuthenticationCreds);
  }

  /** Says whether a phone has linked them: `registered` stays false after a QR link. */
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
