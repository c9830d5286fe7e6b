import { type AuthenticationCreds, BufferJSON, initAuthCreds, proto } from '@whiskeysockets/baileys';

/** The library's credentials: opaque to the rest of the worker. */
export type Credentials = AuthenticationCreds;

/** Fresh credentials of a number that is not linked yet. */
export function newCredentials(): Credentials {
  return initAuthCreds();
}

/** Whether a phone has linked these credentials (`registered` stays false after a QR link). */
export function isLinked(credentials: Credentials): boolean {
  return Boolean(credentials.me?.id && credentials.account);
}

/** JSON that keeps the library's buffers. */
export function serialize(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value, BufferJSON.replacer));
}

/** Reads what `serialize` wrote; `type` restores what JSON alone cannot. */
export function deserialize(bytes: Buffer, type?: string): unknown {
  const value: unknown = JSON.parse(bytes.toString('utf8'), BufferJSON.reviver);
  if (type !== 'app-state-sync-key') return value;
  return proto.Message.AppStateSyncKeyData.fromObject(value as Record<string, unknown>);
}
