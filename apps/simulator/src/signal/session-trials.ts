import { SessionCipher, SessionRecord } from 'libsignal';
import { WhisperMessage } from 'libsignal/src/protobufs.js';

const MAC_BYTES = 8;
const RECEIVING = 2;
/** Most closed sessions: enough to decrypt stragglers after a client fell back to an older state; the library's own 40 cost time. */
const MOST_CLOSED_SESSIONS = 8;

interface Chain {
  chainType: number;
  chainKey: { key?: Buffer };
  messageKeys: Record<string, Buffer>;
}

/** The parts of the library's session object that its type declarations leave out. */
export interface SessionEntry {
  _chains: Record<string, Chain>;
  indexInfo: { closed: number; used: number };
  pendingPreKey?: unknown;
  getChain(key: Buffer): Chain | undefined;
  serialize(): unknown;
}

export type OpenRecord = SessionRecord & {
  sessions: Record<string, SessionEntry>;
  getOpenSession(): SessionEntry | undefined;
};

/**
 * This class decrypts with the session that a message fits. The library tries a message on every session it has and leaves the ones that do not fit damaged. Here a
 * session is only touched when it already knows the sender's ratchet key; otherwise a copy is tried first.
 */
export class SessionTrials extends SessionCipher {
  declare doDecryptWhisperMessage: (data: Buffer, session: SessionEntry) => Promise<Buffer>;

  async decryptWithSessions(
    data: Buffer,
    sessions: SessionEntry[],
  ): Promise<{ session: SessionEntry; plaintext: Buffer }> {
    const ratchetKey = Buffer.from(WhisperMessage.decode(data.subarray(1, -MAC_BYTES)).ephemeralKey);
    const match = sessions.find((session) => session.getChain(ratchetKey));
    if (match) {
      const plaintext = await this.doDecryptWhisperMessage(data, match);
      return { session: markUsed(match), plaintext };
    }
    for (const session of sessions) {
      const copy = copyOf(session);
      const plaintext = await this.doDecryptWhisperMessage(data, copy).catch(() => undefined);
      if (!plaintext) continue;
      Object.assign(session, copy, { pendingPreKey: undefined });
      forgetClosedChains(session);
      return { session: markUsed(session), plaintext };
    }
    throw new Error('no session fits the message');
  }
}

const markUsed = (session: SessionEntry): SessionEntry => {
  session.indexInfo.used = Date.now();
  return session;
};

function copyOf(session: SessionEntry): SessionEntry {
  const type = session.constructor as unknown as { deserialize(data: unknown): SessionEntry };
  return type.deserialize(session.serialize());
}

/** Drops chains that are read to their end: the library never does, so a long conversation gets slower and slower. */
function forgetClosedChains(session: SessionEntry): void {
  for (const [key, chain] of Object.entries(session._chains)) {
    const spent = chain.chainType === RECEIVING && !chain.chainKey.key;
    if (spent && Object.keys(chain.messageKeys).length === 0) delete session._chains[key];
  }
}

/** Copies a record, so that a failing attempt does no harm to the original. */
export function shallowCopy(record: OpenRecord): OpenRecord {
  return Object.assign(new SessionRecord(), { sessions: { ...record.sessions } }) as OpenRecord;
}

/** Drops the oldest sessions that are closed. */
export function forgetOldSessions(record: OpenRecord): void {
  const closed = Object.entries(record.sessions).filter(([, session]) => session.indexInfo.closed !== -1);
  closed.sort(([, a], [, b]) => b.indexInfo.closed - a.indexInfo.closed);
  for (const [key] of closed.slice(MOST_CLOSED_SESSIONS)) delete record.sessions[key];
}
