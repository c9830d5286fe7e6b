import pg from 'pg';
import type { Actor } from '../../stack/actor.js';

/** A way of looking connected and hearing nothing, or of never getting connected (docs/platform-protocol.md, failures). */
export interface DeafWay {
  name: string;
  /** Reasons that the session may give for being recycled; none: it keeps its connection. */
  reasons: string[];
  /** True when the fault shows in a message to a stranger: for others nothing is asked any more. */
  toStranger?: boolean;
  /** Returns what ends it: a fault of the platform would meet the next connection just the same. */
  begin(actor: Actor): Promise<() => Promise<unknown>>;
}

/** Makes a fault that treats this account so from the next moment on. */
const account =
  (faults: object): DeafWay['begin'] =>
  async ({ stack, phone }) => {
    await stack.platform('PUT', `/accounts/${phone}/faults`, faults);
    return () => stack.platform('DELETE', `/accounts/${phone}/faults`);
  };

/** Makes a fault of one frame that cannot be read; nothing behind it can. */
const frame =
  (kind: string): DeafWay['begin'] =>
  async ({ stack, phone }) => {
    await stack.platform('POST', `/accounts/${phone}/frames`, { kind });
    return () => Promise.resolve();
  };

/** Makes a fault that treats all connections so when they are opened. */
const door =
  (faults: object): DeafWay['begin'] =>
  async ({ stack }) => {
    await stack.platform('PUT', '/faults', faults);
    return () => stack.platform('DELETE', '/faults');
  };

/** Cuts the connection, so that the next one meets the fault. */
const atTheNextLogin =
  (begin: DeafWay['begin']): DeafWay['begin'] =>
  async (actor) => {
    const end = await begin(actor);
    await actor.stack.platform('POST', `/accounts/${actor.phone}/disconnect`, { mode: 'drop' });
    return end;
  };

/** Locks the keys, so that the worker can neither read nor write them: inbound messages stay where they are. */
const keysLocked: DeafWay['begin'] = async ({ stack }) => {
  const client = new pg.Client(stack.file.postgres);
  await client.connect();
  await client.query('BEGIN');
  await client.query('LOCK TABLE sessions.signal_key IN ACCESS EXCLUSIVE MODE');
  return async () => {
    await client.query('COMMIT');
    await client.end();
  };
};

/** List of every known way of going deaf. Faults that the library finds by itself are among them: it reports them late, or not at all. */
export const DEAF_WAYS: readonly DeafWay[] = [
  { name: 'silent', reasons: ['KEEP_ALIVE_TIMEOUT'], begin: account({ silent: true }) },
  { name: 'black hole', reasons: ['KEEP_ALIVE_TIMEOUT'], begin: account({ blackHole: true }) },
  { name: 'undecryptable frame', reasons: ['STREAM_UNREADABLE'], begin: frame('undecryptable') },
  { name: 'undecodable stanza', reasons: ['STREAM_UNREADABLE'], begin: frame('undecodable') },
  { name: 'sends lost', reasons: ['UNANSWERED'], begin: account({ ack: 'lost' }) },
  {
    name: 'questions unanswered',
    reasons: ['UNANSWERED', 'PROCESSING_STALLED'],
    toStranger: true,
    begin: account({ unanswered: ['*'] }),
  },
  // The store has a time limit. Then the connection is given up: what was not written comes again at the next login.
  { name: 'keys locked', reasons: ['PROCESSING_STALLED'], begin: keysLocked },
  { name: 'messages undecryptable', reasons: [], begin: account({ inbound: 'undecryptable' }) },
  {
    name: 'login never answered',
    reasons: ['LOGIN_TIMEOUT'],
    begin: atTheNextLogin(account({ login: 'never' })),
  },
  {
    name: 'login silent',
    reasons: ['LOGIN_TIMEOUT', 'KEEP_ALIVE_TIMEOUT'],
    begin: atTheNextLogin(account({ silent: true })),
  },
  {
    name: 'login stuck in questions',
    reasons: ['LOGIN_TIMEOUT'],
    begin: atTheNextLogin(account({ unanswered: ['*'] })),
  },
  {
    name: 'port closed',
    reasons: ['CONNECTION_REFUSED'],
    begin: atTheNextLogin(door({ portClosed: true })),
  },
  {
    name: 'upgrade never answered',
    reasons: ['LOGIN_TIMEOUT', 'KEEP_ALIVE_TIMEOUT'],
    begin: atTheNextLogin(door({ upgrade: 'never' })),
  },
  {
    name: 'upgrade answered, then mute',
    reasons: ['LOGIN_TIMEOUT', 'KEEP_ALIVE_TIMEOUT'],
    begin: atTheNextLogin(door({ upgrade: 'mute' })),
  },
  {
    name: 'upgrade refused',
    reasons: ['PLATFORM_ERROR'],
    begin: atTheNextLogin(door({ upgradeStatus: 503 })),
  },
  {
    name: 'upgrade refused as forbidden',
    reasons: ['CONNECTION_REFUSED'],
    begin: atTheNextLogin(door({ upgradeStatus: 403 })),
  },
];
