import { randomBytes } from 'node:crypto';
import { initAuthCreds, makeWASocket, type WASocket } from '@whiskeysockets/baileys';
import * as libsignal from 'libsignal';
import { ProtocolAddress, SessionBuilder, SessionCipher, type SessionRecord } from 'libsignal';

/** A logger that drops all. */
export const quiet: never = Object.assign(
  { level: 'silent', child: () => quiet },
  Object.fromEntries(['trace', 'debug', 'info', 'warn', 'error'].map((level) => [level, () => undefined])),
) as never;

/** Opens a socket to a port of this machine at which nobody listens. */
export function socketToNobody(options: Record<string, unknown> = {}): WASocket {
  const keys = { get: async () => ({}), set: async () => undefined };
  return makeWASocket({
    ...{ waWebSocketUrl: 'ws://127.0.0.1:9', auth: { creds: initAuthCreds(), keys }, logger: quiet },
    ...options,
  });
}

interface Pair {
  pubKey: Buffer;
  privKey: Buffer;
}
/** The part of the library that its declarations leave out. */
const { keyhelper } = libsignal as unknown as {
  keyhelper: {
    generateIdentityKeyPair(): Pair;
    generateSignedPreKey(identity: Pair, id: number): { keyPair: Pair; signature: Buffer };
  };
};
/** The parts of a session that the library's declarations leave out. */
export interface Session {
  serialize(): unknown;
}
interface Opened {
  cipher: {
    decryptWithSessions(data: Buffer, sessions: Session[]): Promise<unknown>;
    encrypt(data: Buffer): Promise<{ body: Buffer }>;
  };
  record: { getSessions(): Session[]; closeSession(session: Session): void };
}

/** Opens a session with somebody new, as before a first message. */
export async function sessionWithStranger(): Promise<Opened> {
  const own = keyhelper.generateIdentityKeyPair();
  const stranger = keyhelper.generateIdentityKeyPair();
  const { keyPair, signature } = keyhelper.generateSignedPreKey(stranger, 1);
  let record: SessionRecord | undefined;
  const storage = {
    getOurIdentity: async () => own,
    getOurRegistrationId: async () => 1,
    isTrustedIdentity: async () => true,
    loadSession: async () => record,
    storeSession: async (_id: string, changed: SessionRecord) => void (record = changed),
  };
  const address = new ProtocolAddress(randomBytes(4).toString('hex'), 0);
  const bundle = {
    ...{ registrationId: 2, identityKey: stranger.pubKey },
    signedPreKey: { keyId: 1, publicKey: keyPair.pubKey, signature },
  };
  await new SessionBuilder(storage as never, address).initOutgoing(bundle as never);
  return { cipher: new SessionCipher(storage as never, address) as never, record: record as never };
}
