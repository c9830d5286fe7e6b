import { type ConnectionOptions, credsAuthenticator } from '@nats-io/transport-node';

/** Address of NATS, and what a process shows there to say who it is. */
export interface NatsAccess {
  /** Servers of one cluster, separated by commas: a process whose server is gone goes on with another. `tls://` insists on TLS. */
  url: string;
  user?: string | undefined;
  password?: string | undefined;
  /** Content of a credentials file: a user's token and the seed that proves it. In place of user and password. */
  credentials?: string | undefined;
  /** Certificates of the authorities that speak for the servers, as PEM; unset: those that Node trusts. */
  ca?: string | undefined;
  /** Certificate of this process and its key, as PEM, where the servers ask for one. */
  certificate?: string | undefined;
  key?: string | undefined;
}

/** Makes the first words of the subjects on which an app's answers come. */
export const inboxOf = (app: string): string => `_INBOX.${app}`;

/** Splits `NATS_URL`. */
export const serversOf = (url: string): string[] => url.split(',').map((server) => server.trim());

/**
 * Makes what a client of NATS needs to connect. It comes back by itself, however long that takes, and leaves a server that has fallen silent
 * after three unanswered pings, not after minutes.
 * @param name the app: the connection is named so, and answers come to its own inboxes, which no other app may read.
 */
export function connectionOptions(access: NatsAccess, name: string): ConnectionOptions {
  const { url, user, password, credentials } = access;
  const tls = tlsOf(access);
  return {
    servers: serversOf(url),
    name,
    inboxPrefix: inboxOf(name),
    ...(user === undefined ? {} : { user, pass: password ?? '' }),
    ...(credentials === undefined
      ? {}
      : { authenticator: credsAuthenticator(new TextEncoder().encode(credentials)) }),
    ...(tls ? { tls } : {}),
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    pingInterval: 10_000,
    // This option spares a stack trace for every request and publication, which would be made in case it fails.
    noAsyncTraces: true,
  };
}

/** Without these options the client takes what the server offers: plain text, where that is all. */
function tlsOf({ url, ca, certificate, key }: NatsAccess): ConnectionOptions['tls'] | undefined {
  if (ca === undefined && certificate === undefined && !serversOf(url).some((one) => one.startsWith('tls:')))
    return undefined;
  return { ...(ca ? { ca } : {}), ...(certificate ? { cert: certificate } : {}), ...(key ? { key } : {}) };
}
