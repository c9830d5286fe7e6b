import { SessionCipher } from 'libsignal';
import { WhisperMessage } from 'libsignal/src/protobufs.js';

const MAC_BYTES = 8;

/** The parts of the library's session that its type declarations leave out. */
interface SessionEntry {
  indexInfo: { used: number };
  getChain(ratchetKey: Buffer): unknown;
  serialize(): unknown;
}

/** The parts of the library's cipher that are used here. */
interface Cipher {
  doDecryptWhisperMessage(data: Buffer, session: SessionEntry): Promise<Buffer>;
  decryptWithSessions(
    data: Buffer,
    sessions: SessionEntry[],
  ): Promise<{ session: SessionEntry; plaintext: Buffer }>;
}

// Library patch: trial-decryptions
/**
 * Makes the library try a message on copies of Signal sessions. Two people who write to each other for the first time at the same moment
 * have two of them. The library tries
 * a message on each of them in turn, and a trial that fails leaves its session with a ratchet that was never agreed:
 * everything sent on it afterwards is unreadable for the contact ("Bad MAC"), also when it is sent again. Here a
 * session that does not know the sender's ratchet key is tried on a copy, which replaces it only when it fits.
 */
export function protectSessionsFromTrials(): void {
  const cipher = SessionCipher.prototype as unknown as Cipher;
  cipher.decryptWithSessions = async function (data, sessions) {
    const ratchetKey = Buffer.from(WhisperMessage.decode(data.subarray(1, -MAC_BYTES)).ephemeralKey);
    const match = sessions.find((session) => session.getChain(ratchetKey));
    for (const session of match ? [match] : sessions) {
      const copy = copyOf(session);
      const plaintext = await this.doDecryptWhisperMessage(data, copy).catch(() => undefined);
      if (!plaintext) continue;
      Object.assign(session, copy);
      session.indexInfo.used = Date.now();
      return { session, plaintext };
    }
    // The error has the library's own words: it asks the contact for a resend when it reads them.
    throw new Error('No matching sessions found for message');
  };
}

function copyOf(session: SessionEntry): SessionEntry {
  const type = session.constructor as unknown as { deserialize(data: unknown): SessionEntry };
  return type.deserialize(session.serialize());
}
