import type { IncomingMessage } from 'node:http';
import type { StatusReason } from '@svc/contracts';
import { makeWASocket } from '@whiskeysockets/baileys';
import { BoundedCache } from '../keys/bounded-cache.js';
import { FailureScope } from './failure-scope.js';
import { guarded } from '../keys/guarded-store.js';
import { quietLogger } from './library-logger.js';
import type { ProxyRoute } from '../../proxy.js';
import type { PlatformListener, PlatformSocket, PlatformStore } from '../../port.js';
import { QR_LIFETIME_MS } from '../../port.js';
import { shareAsyncContext } from './shared-async-context.js';
import { rememberCiphertexts, type Stanza } from './stanzas.js';
import { Watchdog, type WatchLimits } from './watchdog.js';
import { confirmWrittenReceipts } from './receipts.js';
import { jidUser } from '../messages/jids.js';
import { atOnce } from './direct-requests.js';
import type { Credentials } from '../keys/credentials.js';
import { handOver, type LibrarySocket } from '../messages/hand-over.js';
import { journaling } from '../keys/journaling.js';
import { keyStore } from '../keys/key-store.js';
import { isComplete, messageOf } from '../messages/outgoing-message.js';
import { askRestrictions, hearRestrictions } from './restrictions.js';
import { protectSessionsFromTrials } from '../keys/signal-trials.js';
import { trustRootPerSocket } from './trust-roots.js';
import { uploadFile } from '../messages/upload.js';

/** Where the platform is, and when it counts as deaf; `trustRoot` in hex replaces the library's. */
export interface PlatformAddress {
  url: string;
  trustRoot?: string;
  limits: WatchLimits;
  /** Nothing of this socket goes another way. */
  proxy?: ProxyRoute;
}

/** Close code for a door that is shut: HTTP's own codes mean other things among close codes, 401 the end of a link. */
const REFUSED = 400;
/** Close code for a connection that broke. */
const CUT = 428;
/** Close code for a socket that was found to be deaf. */
const DEAF = 408;
/** A platform that has not answered by then does not: nobody waits longer to send. */
const QUERY_TIMEOUT_MS = 15_000;

const logger = quietLogger();
protectSessionsFromTrials();
shareAsyncContext();
const trusting = trustRootPerSocket();

/** Opens a socket. Everything that happens is told to the listener; nothing is thrown. */
export function openSocket(
  address: PlatformAddress,
  credentials: Credentials,
  keptIn: PlatformStore,
  listener: PlatformListener,
): PlatformSocket {
  const scope = new FailureScope(() => socket.recycle('LIBRARY_ERROR'));
  const watchdog = new Watchdog(address.limits, (reason) => socket.recycle(reason));
  const open = (): PlatformSocket => {
    const stanzas = new WeakMap<Uint8Array, Stanza>();
    // What could not be written the platform keeps until the next login: so there is one, soon.
    const abandon = (): void => socket.recycle('PROCESSING_STALLED');
    const sock = connect(address, credentials, stanzas, { store: guarded(keptIn, abandon), watchdog });
    confirmWrittenReceipts(sock.ws, listener, abandon);
    hearRestrictions(sock, listener);
    watchdog.supervise(sock.ws);
    return attach(sock, stanzas, namingProxy(listener, address.proxy), { scope, watchdog });
  };
  const socket = scope.run(() => trusting(address.trustRoot, open));
  return socket;
}

/** A connection that the proxy did not let through failed for that reason, whatever it looks like. */
function namingProxy(listener: PlatformListener, proxy: ProxyRoute | undefined): PlatformListener {
  if (!proxy) return listener;
  const onClose: PlatformListener['onClose'] = (code, reason) =>
    proxy.failed() ? listener.onClose(REFUSED, 'PROXY_FAILED') : listener.onClose(code, reason);
  return { ...listener, onClose };
}

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
): LibrarySocket {
  const sock = makeWASocket({
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
      const sent = id ? await store.sent(id) : undefined;
      return sent && isComplete(sent) ? messageOf(sent, credentials) : undefined;
    },
    qrTimeout: QR_LIFETIME_MS,
    keepAliveIntervalMs: address.limits.keepAliveMs,
    agent: address.proxy?.agent,
    fetchAgent: address.proxy?.agent,
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
  // Whoever asks for a message again gets it from the table. The library would keep each for five minutes, 20 KB of it: its timer
  // holds the transaction in which it was sent.
  if (sock.messageRetryManager) sock.messageRetryManager.addRecentMessage = () => undefined;
  return sock;
}

function attach(
  sock: LibrarySocket,
  stanzas: WeakMap<Uint8Array, Stanza>,
  listener: PlatformListener,
  { scope, watchdog }: Guards,
): PlatformSocket {
  let closed = false;
  const codeOf = closeCodes(sock);
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
    if (connection === 'close') gone(codeOf(lastDisconnect?.error));
  });
  // The library listens to this event and does nothing: its WebSocket then waits for an answer that has come already.
  sock.ws.on('unexpected-response', (_request: unknown, { statusCode = 500 }: IncomingMessage) =>
    gone(statusCode >= 500 ? statusCode : REFUSED),
  );
  // Raw stanzas instead of the library's events: those are buffered and merged, and say nothing of the server's ack.
  sock.ws.on('CB:ack,class:message', ({ attrs }: Stanza) => {
    if (attrs['id']) listener.onAck(attrs['id'], numberIn(attrs['error']));
  });
  sock.ws.prependListener('CB:message', (stanza: Stanza) => rememberCiphertexts(stanza, stanzas));
  const close = (): void => {
    rest();
    void sock.end(undefined);
  };
  return {
    upload: (content, file) => scope.run(() => uploadFile(sock, content, file)),
    send: (message) =>
      scope.run(() =>
        watchdog.watch('hand-over', handOver(sock, message)).catch((error: unknown) => {
          // The library tells of a lost connection only when the other end has closed it, too: up to 30 s later.
          if (!sock.ws.isOpen) gone(CUT);
          throw error;
        }),
      ),
    ...atOnce(sock, scope),
    restrictions: () => scope.run(() => askRestrictions(sock)),
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

/** Whoever is deaf does not hear a farewell: the library would wait half a minute for the answer. */
function cut({ ws }: LibrarySocket): void {
  const { socket } = ws as unknown as { socket: { terminate(): void } | null };
  socket?.terminate();
}

function numberIn(attribute: string | undefined): number | undefined {
  return attribute === undefined ? undefined : Number(attribute);
}

/** The library says 408, as for a platform that is silent, also where the network told at once that nobody is there. */
function closeCodes({ ws }: LibrarySocket): (error: unknown) => number {
  let wasOpen = false;
  ws.on('open', () => (wasOpen = true));
  return (error) => {
    const { output, data } = Object(error) as { output?: { statusCode?: number }; data?: { code?: unknown } };
    const isTold = typeof data?.code === 'string' && data.code !== 'ETIMEDOUT';
    if (output?.statusCode === DEAF && isTold) return wasOpen ? CUT : REFUSED;
    return output?.statusCode ?? CUT;
  };
}
