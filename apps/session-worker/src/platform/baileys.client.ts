import type { IncomingMessage } from 'node:http';
import type { StatusReason } from '@svc/contracts';
import {
  type AuthenticationCreds,
  BufferJSON,
  DEFAULT_CONNECTION_CONFIG,
  getContentType,
  initAuthCreds,
  isJidGroup,
  isLidUser,
  isPnUser,
  jidNormalizedUser,
  makeCacheableSignalKeyStore,
  makeWASocket,
  normalizeMessageContent,
  proto,
  type SignalDataSet,
  type SignalDataTypeMap,
  type SignalKeyStore,
  type SignalKeyStoreWithTransaction,
  type SignalRepositoryWithLIDStore,
  unpadRandomMax16,
  WA_CERT_DETAILS,
} from '@whiskeysockets/baileys';
import { BoundedCache } from './bounded-cache.js';
import { FailureScope } from './failure-scope.js';
import { guarded } from './guarded-store.js';
import { keepLateWrites } from './late-writes.js';
import { quietLogger } from './library-logger.js';
import type {
  InboundRecord,
  KeyChanges,
  PlatformContent,
  PlatformListener,
  PlatformSocket,
  PlatformStore,
} from './platform.js';
import { NoAnswerError, NotOnPlatformError, QR_LIFETIME_MS } from './platform.js';
import { shareAsyncContext } from './shared-async-context.js';
import { protectSessionsFromTrials } from './signal-trials.js';
import { rememberCiphertexts, type Stanza } from './stanzas.js';
import { Watchdog, type WatchLimits } from './watchdog.js';
import { confirmWrittenReceipts } from './written-receipts.js';

/** The library's credentials: opaque to the rest of the worker. */
export type Credentials = AuthenticationCreds;

/** Where the platform is, and when it counts as deaf; `trustRoot` in hex replaces the library's. */
export interface PlatformAddress {
  url: string;
  trustRoot?: string;
  limits: WatchLimits;
}

/** Close code for a door that is shut: HTTP's own codes mean other things among close codes, 401 the end of a link. */
const REFUSED = 400;
/** Close code for a socket that was found to be deaf. */
const DEAF = 408;
/** A platform that has not answered by then does not: nobody waits longer to send. */
const QUERY_TIMEOUT_MS = 15_000;

const logger = quietLogger();
protectSessionsFromTrials();
shareAsyncContext();

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

/** Opens a socket. Everything that happens is told to the listener; nothing is thrown. */
export function openSocket(
  address: PlatformAddress,
  credentials: Credentials,
  keptIn: PlatformStore,
  listener: PlatformListener,
): PlatformSocket {
  const scope = new FailureScope(() => socket.recycle('LIBRARY_ERROR'));
  const watchdog = new Watchdog(address.limits, (reason) => socket.recycle(reason));
  const socket = scope.run(() => {
    const stanzas = new WeakMap<Uint8Array, Stanza>();
    // What could not be written the platform keeps until the next login: so there is one, soon.
    const abandon = (error: unknown): void => void sock.end(error instanceof Error ? error : undefined);
    const sock = connect(address, credentials, stanzas, { store: guarded(keptIn, abandon), watchdog });
    confirmWrittenReceipts(sock.ws, listener, abandon);
    watchdog.supervise(sock.ws);
    return attach(sock, stanzas, listener, { scope, watchdog });
  });
  return socket;
}

type BaileysSocket = ReturnType<typeof makeWASocket>;
/** What keeps an eye on one socket. */
interface Guards {
  scope: FailureScope;
  watchdog: Watchdog;
}

function connect(
  address: PlatformAddress,
  credentials: Credentials,
  stanzas: WeakMap<Uint8Array, Stanza>,
  { store, watchdog }: { store: PlatformStore; watchdog: Watchdog },
): BaileysSocket {
  if (address.trustRoot) WA_CERT_DETAILS.PUBLIC_KEY = Buffer.from(address.trustRoot, 'hex');
  return makeWASocket({
    waWebSocketUrl: address.url,
    logger,
    auth: { creds: credentials, keys: keyStore(store) },
    makeSignalRepository: (...dependencies) => {
      const repository = journaling(dependencies, credentials, stanzas, store);
      // Of the backlog after a login nothing but this tells whether it gets done.
      const decryptMessage: typeof repository.decryptMessage = (options) =>
        watchdog.watch('decryption', repository.decryptMessage(options));
      return { ...repository, decryptMessage };
    },
    getMessage: async ({ id }) => {
      const text = id ? await store.sentText(id) : undefined;
      return text === undefined ? undefined : { extendedTextMessage: { text } };
    },
    qrTimeout: QR_LIFETIME_MS,
    keepAliveIntervalMs: address.limits.keepAliveMs,
    defaultQueryTimeoutMs: QUERY_TIMEOUT_MS,
    emitOwnEvents: false,
    syncFullHistory: false,
    markOnlineOnConnect: true,
    // A device list that expires costs the contact a one-time key at the next send.
    userDevicesCache: new BoundedCache(5_000),
    msgRetryCounterCache: new BoundedCache(1_000),
    callOfferCache: new BoundedCache(100),
    placeholderResendCache: new BoundedCache(100),
    // The store is patient itself.
    transactionOpts: { maxCommitRetries: 1, delayBetweenTriesMs: 0 },
  });
}

function attach(
  sock: BaileysSocket,
  stanzas: WeakMap<Uint8Array, Stanza>,
  listener: PlatformListener,
  { scope, watchdog }: Guards,
): PlatformSocket {
  let closed = false;
  const rest = (): void => {
    closed = true;
    watchdog.stop();
    scope.close();
  };
  const gone = (code: number, reason?: StatusReason): void => {
    if (closed) return;
    rest();
    listener.onClose(code, reason);
  };
  sock.ev.on('creds.update', () => listener.onCredentials());
  sock.ev.on('connection.update', ({ connection, qr, lastDisconnect }) => {
    if (closed) return;
    if (qr) listener.onQr(qr);
    if (connection === 'open') listener.onOpen(jidUser(sock.authState.creds.me?.id ?? ''));
    if (connection === 'close') gone(closeCode(lastDisconnect?.error));
  });
  // The library listens to this event and does nothing: its WebSocket then waits for an answer that has come already.
  sock.ws.on('unexpected-response', (_request: unknown, { statusCode = 500 }: IncomingMessage) =>
    gone(statusCode >= 500 ? statusCode : REFUSED),
  );
  // Raw stanzas instead of the library's events: those are buffered and merged, and say nothing of the server's ack.
  sock.ws.on('CB:ack,class:message', ({ attrs }: Stanza) => {
    if (attrs['id'])
      listener.onAck(attrs['id'], attrs['error'] === undefined ? undefined : Number(attrs['error']));
  });
  sock.ws.prependListener('CB:message', (stanza: Stanza) => rememberCiphertexts(stanza, stanzas));
  const close = (): void => {
    rest();
    void sock.end(undefined);
  };
  return {
    sendText: (to, text, keyId) =>
      scope.run(async () => {
        try {
          await watchdog.watch('hand-over', handOver(sock, to, text, keyId));
        } catch (error) {
          // The library tells of a lost connection only when the other end has closed it, too: up to 30 s later.
          if (!sock.ws.isOpen) gone(428);
          throw error;
        }
      }),
    logout: () => scope.run(() => sock.logout()),
    recycle: (reason) => {
      if (closed) return;
      gone(DEAF, reason);
      close();
      cut(sock);
    },
    close,
  };
}

async function handOver(sock: BaileysSocket, to: string, text: string, keyId: string): Promise<void> {
  await assertReachable(sock, to);
  await sock.sendMessage(to, { text, linkPreview: null }, { messageId: keyId });
}

/** Whoever is deaf does not hear a farewell: the library would wait half a minute for the answer. */
function cut({ ws }: BaileysSocket): void {
  const { socket } = ws as unknown as { socket: { terminate(): void } | null };
  socket?.terminate();
}

/**
 * A message to somebody whose devices the library could not learn goes out without a copy for anybody, and the platform
 * takes it: it would count as sent. The answer is kept, so that the hand-over itself does not ask again.
 * @throws NotOnPlatformError
 * @throws NoAnswerError
 */
async function assertReachable(sock: BaileysSocket, to: string): Promise<void> {
  const own = jidNormalizedUser(sock.authState.creds.me?.id);
  const devices = await sock.getUSyncDevices([own, to], true, false);
  if (devices.some(({ user }) => user === jidUser(to))) return;
  const found = isPnUser(to) ? await sock.onWhatsApp(to) : undefined;
  if (found?.length === 0) throw new NotOnPlatformError();
  if (!found && isPnUser(to)) throw new NoAnswerError();
  throw new Error('The platform did not tell which devices the recipient has.');
}

/**
 * The library acknowledges a message before it hands it over, so a crash in between would lose it. Its decryption step
 * comes before the receipt: there, plaintext and advanced ratchet go into one transaction (docs/platform-protocol.md, 13).
 */
function journaling(
  dependencies: Parameters<typeof DEFAULT_CONNECTION_CONFIG.makeSignalRepository>,
  credentials: Credentials,
  stanzas: WeakMap<Uint8Array, Stanza>,
  store: PlatformStore,
): SignalRepositoryWithLIDStore {
  const repository = DEFAULT_CONNECTION_CONFIG.makeSignalRepository(...dependencies);
  const keys = dependencies[0].keys as SignalKeyStoreWithTransaction;
  keepLateWrites(keys);
  // The library locks sends by the own id, but all else that writes a contact's session record by other names: writing
  // and being written to at once would lose ratchet steps, then messages. Here all of them share the lock of the sends.
  const locked = <T>(work: () => Promise<T>): Promise<T> => keys.transaction(work, credentials.me?.id ?? '');
  return {
    ...repository,
    injectE2ESession: (options) => locked(() => repository.injectE2ESession(options)),
    migrateSession: (from, to) => locked(() => repository.migrateSession(from, to)),
    decryptMessage: async (options) => {
      const stanza = stanzas.get(options.ciphertext);
      try {
        return await locked(async () => {
          const plaintext = await repository.decryptMessage(options);
          const record = stanza && (await inboundRecord(stanza, plaintext, credentials, repository));
          if (record) await keys.set({ [JOURNAL]: { [record.keyId]: record } } as SignalDataSet);
          return plaintext;
        });
      } catch (error) {
        // A stanza that comes again after a crash cannot be decrypted twice: the journal knows what it said.
        const known =
          stanza && (await store.journaled(senderOf(stanza.attrs['from']), stanza.attrs['id'] ?? ''));
        if (!known) throw error;
        return Buffer.from(known);
      }
    },
  };
}

/** A type of its own in the key store's change set: the library's transaction carries it along to `commit`. */
const JOURNAL = 'svc-journal';

function keyStore(store: PlatformStore): SignalKeyStore {
  const inboundOf = new WeakMap<object, InboundRecord[]>();
  const cached = makeCacheableSignalKeyStore(
    {
      get: async <T extends keyof SignalDataTypeMap>(type: T, ids: string[]) =>
        (await store.get(type, ids)) as Record<string, SignalDataTypeMap[T]>,
      set: (changes) => store.commit(changes as KeyChanges, inboundOf.get(changes) ?? []),
    },
    logger,
    new BoundedCache(2_000),
  );
  return {
    get: cached.get.bind(cached),
    set: async (changes) => {
      const { [JOURNAL]: journal, ...keys } = changes as KeyChanges;
      inboundOf.set(keys, Object.values(journal ?? {}) as InboundRecord[]);
      await cached.set(keys as SignalDataSet);
    },
  };
}

async function inboundRecord(
  { attrs }: Stanza,
  plaintext: Uint8Array,
  credentials: Credentials,
  repository: SignalRepositoryWithLIDStore,
): Promise<InboundRecord | undefined> {
  const sender = senderOf(attrs['from']);
  if (!attrs['id'] || attrs['category'] === 'peer' || isOwn(sender, credentials)) return undefined;
  if (!isPnUser(sender) && !isLidUser(sender)) return undefined;
  return {
    sender,
    keyId: attrs['id'],
    remoteJid: await phoneAddress(sender, attrs['sender_pn'], repository),
    pushName: attrs['notify'] ?? null,
    sentAt: Number(attrs['t'] ?? 0),
    plaintext,
    content: contentOf(plaintext),
  };
}

function isOwn(sender: string, { me }: Credentials): boolean {
  return [me?.id, me?.lid].some((jid) => jid !== undefined && jidNormalizedUser(jid) === sender);
}

/** The platform hides numbers behind LIDs: told in the stanza, or known from before, or unknown. */
async function phoneAddress(
  sender: string,
  told: string | undefined,
  { lidMapping }: SignalRepositoryWithLIDStore,
): Promise<string> {
  if (!isLidUser(sender)) return sender;
  return jidNormalizedUser(told ?? (await lidMapping.getPNForLID(sender)) ?? sender);
}

function contentOf(plaintext: Uint8Array): PlatformContent | undefined {
  const decoded = proto.Message.decode(unpadRandomMax16(plaintext));
  const message = decoded.deviceSentMessage?.message ?? decoded;
  const inner = normalizeMessageContent(message) ?? message;
  const type = getContentType(inner);
  if (type === undefined || type === 'protocolMessage') return undefined;
  const viewOnce = message.viewOnceMessage ?? message.viewOnceMessageV2 ?? message.viewOnceMessageV2Extension;
  const plain = proto.Message.toObject(proto.Message.fromObject(inner), {
    longs: Number,
    bytes: String,
    defaults: false,
  });
  return { type, content: plain[type] as unknown, viewOnce: Boolean(viewOnce) };
}

function senderOf(from = ''): string {
  return isJidGroup(from) ? from : jidNormalizedUser(from);
}

function closeCode(error: unknown): number {
  return (error as { output?: { statusCode?: number } } | undefined)?.output?.statusCode ?? 428;
}

function jidUser(jid: string): string {
  return jidNormalizedUser(jid).split('@')[0] ?? '';
}
