import { type AuthenticationCreds, makeWASocket, type WABrowserDescription } from '@whiskeysockets/baileys';
import type { PlatformAddress } from '../../port.js';
import { BoundedCache, quietLogger, shareAsyncContext } from '../library/library-options.js';
import { type JournalTools, journaling } from '../keys/journaling.js';
import { keyStore } from '../keys/key-store.js';
import { protectSessionsFromTrials } from '../keys/signal-trials.js';
import { timerOf } from '../messages/chat-timers.js';
import { isComplete, type LibrarySocket, messageOf } from '../messages/outgoing.js';
import type { Stanza } from '../stanzas/stanzas.js';
import { versionOf } from './client-version.js';
import { trustRootPerSocket } from './trust-roots.js';

/** Longest wait for the answer to a query, in ms: a platform that has not answered by then does not, and a send must not wait longer. */
const QUERY_TIMEOUT_MS = 15_000;

/** Time after which the library would end a socket that links nothing, for each of its QR codes, in ms. Ours are drawn by `QrCodes`. */
const LIBRARY_QR_MS = 15 * 60_000;

const logger = quietLogger();
protectSessionsFromTrials();
shareAsyncContext();

/** Function that runs work whose handshake trusts this key instead of the library's; made after `shareAsyncContext`. */
export const trusting = trustRootPerSocket();

/** Opens the library's socket with all that is ours around it. */
export function connect(
  address: PlatformAddress,
  credentials: AuthenticationCreds,
  stanzas: WeakMap<Uint8Array, Stanza>,
  { device, ...tools }: JournalTools & { device: WABrowserDescription },
): LibrarySocket {
  const keys = keyStore(tools.store);
  return makeWASocket({
    waWebSocketUrl: address.url,
    version: versionOf(address.revision),
    logger,
    auth: { creds: credentials, keys },
    makeSignalRepository: (...dependencies) => journaling(dependencies, credentials, stanzas, tools),
    getMessage: async ({ id }) => {
      const sent = id ? await tools.store.sent(id) : undefined;
      if (!sent || !isComplete(sent)) return undefined;
      return messageOf(sent, credentials, await timerOf(keys, sent.to));
    },
    qrTimeout: LIBRARY_QR_MS,
    browser: device,
    keepAliveIntervalMs: address.limits.keepAliveMs,
    agent: address.url.startsWith('wss:') ? address.agent : address.proxy?.agent,
    fetchAgent: address.agent,
    defaultQueryTimeoutMs: QUERY_TIMEOUT_MS,
    emitOwnEvents: false,
    syncFullHistory: false,
    markOnlineOnConnect: false,
    // A device list that expires costs the contact a one-time key at the next send.
    userDevicesCache: new BoundedCache(5_000),
    msgRetryCounterCache: new BoundedCache(1_000),
    callOfferCache: new BoundedCache(100),
    placeholderResendCache: new BoundedCache(100),
    // The store is patient itself.
    transactionOpts: { maxCommitRetries: 1, delayBetweenTriesMs: 0 },
  });
}
