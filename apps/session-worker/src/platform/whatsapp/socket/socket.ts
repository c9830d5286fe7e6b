import type { IncomingMessage } from 'node:http';
import { digitsOf, type DisconnectReason } from '@svc/contracts';
import type { AuthenticationCreds, BinaryNode, WABrowserDescription } from '@whiskeysockets/baileys';
import type {
  PlatformAddress,
  PlatformListener,
  PlatformSocket,
  PlatformStore,
  Refusal,
  SocketClose,
} from '../../port.js';
import type { ProxyRoute } from '../../proxy.js';
import { Calls } from '../calls/calls.js';
import { describeDevice } from '../linking/device-name.js';
import { Linking } from '../linking/linking.js';
import { guarded } from '../keys/key-store.js';
import { type LibrarySocket, sendMessage, uploadFile } from '../messages/outgoing.js';
import { journalUnread } from '../messages/contentless.js';
import { keepNoSentMessages } from '../library/library-options.js';
import { MediaHosts } from '../library/media-hosts.js';
import { rememberCiphertexts, type Stanza } from '../stanzas/stanzas.js';
import { watchGroupTimers } from '../messages/group-timers.js';
import { StanzasInHand } from '../messages/stanzas-in-hand.js';
import { Presence } from '../presence/presence.js';
import { watchStanzas } from '../unhandled/watch-stanzas.js';
import { AccountAddresses } from './account-addresses.js';
import { banEnd, closeCodes, closeOf, CUT, malfunction, REFUSED } from './close-codes.js';
import { connect, trusting } from './connect.js';
import { directRequests } from './direct-requests.js';
import { confirmWrittenReceipts } from './receipts.js';
import { askRestrictions, watchRestrictions } from './restrictions.js';
import { FailureScope, Watchdog } from './watchdog.js';

/** The platform's refusal of a message that would begin a chat. */
const NEW_CHAT_REFUSED = 463;

/** Opens a socket. Everything that happens is told to the listener; nothing is thrown. */
export function openSocket(
  address: PlatformAddress,
  credentials: AuthenticationCreds,
  store: PlatformStore,
  listener: PlatformListener,
): PlatformSocket {
  const scope = new FailureScope(() => socket.recycle('LIBRARY_ERROR'));
  const giveUp = (reason: DisconnectReason): void => {
    // A database that is slow is no message's fault.
    const isOfMessage = reason === 'PROCESSING_STALLED' || reason === 'LIBRARY_ERROR';
    if (isOfMessage && !guardedStore.isBusy) inHand.blame(watchdog.isInHand('hand-over'));
    socket.recycle(reason);
  };
  const watchdog = new Watchdog(address.limits, { giveUp, doubt: (reason) => listener.onDoubt(reason) });
  // The platform keeps what could not be written until the next login: so there is one, soon.
  const abandon = (): void => socket.recycle('PROCESSING_STALLED');
  const guardedStore = guarded(store, abandon);
  const inHand = new StanzasInHand(guardedStore);
  const open = (): PlatformSocket => {
    const stanzas = new WeakMap<Uint8Array, Stanza>();
    const device = describeDevice(address.deviceName);
    const sock = connect(address, credentials, stanzas, { store: guardedStore, inHand, device });
    const presence = new Presence(sock);
    keepNoSentMessages(sock);
    confirmWrittenReceipts(sock.ws, listener, abandon);
    watchRestrictions(sock, listener);
    watchGroupTimers(sock.ws, sock.authState.keys);
    const book = { credentials, repository: sock.signalRepository, store: guardedStore };
    const confirm = (stanza: Stanza): Promise<void> => sock.sendMessageAck(stanza as BinaryNode);
    const isOpen = (): boolean => sock.ws.isOpen;
    const tools = { book, store: guardedStore, inHand, isOpen, confirm, abandon };
    const backlog = journalUnread(sock.ws, tools);
    const calls = new Calls(sock.ws, {
      ...tools,
      send: (stanza) => sock.sendNode(stanza as BinaryNode),
      newId: () => sock.generateMessageTag(),
    });
    watchdog.supervise(sock.ws);
    watchStanzas(sock.ws);
    const { proxy } = address;
    return attach(sock, stanzas, namingProxy(listener, proxy), {
      scope,
      watchdog,
      calls,
      presence,
      device,
      address,
      backlog,
    });
  };
  const socket = scope.run(() => trusting(address.trustRoot, open));
  return socket;
}

/** Blames the proxy for a connection that it did not open, whatever the failure looks like. */
function namingProxy(listener: PlatformListener, proxy: ProxyRoute | undefined): PlatformListener {
  if (!proxy) return listener;
  let hasOpened = false;
  const onOpen: PlatformListener['onOpen'] = (phone) => {
    hasOpened = true;
    listener.onOpen(phone);
  };
  // Uploads go the same way: their failures say nothing of the socket.
  const onClose: PlatformListener['onClose'] = (close) =>
    listener.onClose(!hasOpened && proxy.failed() ? malfunction('PROXY_FAILED', REFUSED) : close);
  return { ...listener, onOpen, onClose };
}

/** Guards of one socket. */
interface Guards {
  scope: FailureScope;
  watchdog: Watchdog;
  calls: Calls;
  presence: Presence;
  device: WABrowserDescription;
  address: PlatformAddress;
  backlog: Promise<void>;
}

function attach(
  sock: LibrarySocket,
  stanzas: WeakMap<Uint8Array, Stanza>,
  listener: PlatformListener,
  { scope, watchdog, calls, presence, device, address, backlog }: Guards,
): PlatformSocket {
  const { proxy, agent, url: platformUrl } = address;
  let closed = false;
  const stopWatching = (): void => {
    closed = true;
    watchdog.stop();
    presence.stop();
    linking.stop();
    scope.close();
    proxy?.abandon();
  };
  const end = (close: SocketClose): void => {
    if (closed) return;
    stopWatching();
    listener.onClose(close);
  };
  const close = (): void => {
    stopWatching();
    void sock.end(undefined);
  };
  const linking = new Linking(sock, device, listener, end);
  passEvents(sock, listener, { isClosed: () => closed, end });
  sock.ws.prependListener('CB:message', (stanza: Stanza) => rememberCiphertexts(stanza, stanzas));
  const accounts = new AccountAddresses(sock);
  const mediaHosts = new MediaHosts(sock);
  const handOver = <T>(work: () => Promise<T>): Promise<T> =>
    scope.run(() =>
      watchdog.watch('hand-over', work()).catch((error: unknown) => {
        // The library tells of a lost connection only when the other end has closed it, too: up to 30 s later.
        if (!sock.ws.isOpen) end(closeOf(CUT));
        throw error;
      }),
    );
  return {
    upload: (content, file, signal) =>
      scope.run(() => uploadFile(content, file, { platformUrl, mediaHosts, agent, signal })),
    addressOf: (to) => handOver(() => accounts.of(to)),
    accountsOf: (addresses) => handOver(() => accounts.othersOf(addresses)),
    send: (message) => handOver(() => sendMessage(sock, message)),
    ...directRequests(sock, scope, { accounts, calls, presence, linking }),
    caughtUp: () => backlog,
    restrictions: () => scope.run(() => askRestrictions(sock)),
    logout: () => scope.run(() => sock.logout()),
    unanswered: (isSo) => watchdog.unanswered(isSo),
    recycle: (reason: DisconnectReason) => {
      if (closed) return;
      end(malfunction(reason));
      close();
      cut(sock);
    },
    close,
  };
}

/** Passes the events of the library and the platform on to the listener. */
function passEvents(
  sock: LibrarySocket,
  listener: PlatformListener,
  { isClosed, end }: { isClosed: () => boolean; end: (close: SocketClose) => void },
): void {
  const codeOf = closeCodes(sock);
  sock.ev.on('creds.update', () => listener.onCredentials());
  sock.ev.on('connection.update', ({ connection, lastDisconnect }) => {
    if (isClosed()) return;
    if (connection === 'open') listener.onOpen(digitsOf(sock.authState.creds.me?.id) ?? '');
    if (connection === 'close') end(closeBy(codeOf, lastDisconnect?.error));
  });
  // Library patch: refused-upgrade
  // The library listens to this event and does nothing: its WebSocket then waits for an answer that has come already.
  sock.ws.on('unexpected-response', (_request: unknown, { statusCode = 500 }: IncomingMessage) =>
    end(closeOf(statusCode >= 500 ? statusCode : REFUSED)),
  );
  // Raw stanzas are read instead of the library's events: those are buffered and merged, and say nothing of the server's ack.
  sock.ws.on('CB:ack,class:message', ({ attrs }: Stanza) => {
    if (attrs['id']) listener.onAck(attrs['id'], refusalIn(attrs['error']));
  });
}

/** Says what follows from the error with which the library ended. */
function closeBy(codeOf: (error: unknown) => number, error: unknown): SocketClose {
  const code = codeOf(error);
  const until = banEnd(code, error, Date.now());
  return { ...closeOf(code), ...(until && { until }) };
}

// Library patch: cut-connections
/** Ends the connection immediately: a deaf socket gets no farewell, and the library would wait half a minute for the answer. */
function cut({ ws }: LibrarySocket): void {
  const { socket } = ws as unknown as { socket: { terminate(): void } | null };
  socket?.terminate();
}

function refusalIn(attribute: string | undefined): Refusal | undefined {
  if (attribute === undefined) return undefined;
  const code = Number(attribute);
  return { detail: `platform error ${code}`, isOfNewChat: code === NEW_CHAT_REFUSED };
}
