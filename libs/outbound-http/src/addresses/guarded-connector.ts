import type { ConnectOpts } from 'node:net';
import { buildConnector } from 'undici';
import { type AddressGuard, notAllowed } from './address-guard.js';

const CONNECT_MS = 3_000;

/** A connector opens a socket, with TLS where the target says `https:`; the callback hears once. */
export type Connector = buildConnector.connector;
/** The target of a connection: scheme, `hostname` without brackets, `host` with the port, `port`. */
export type ConnectTarget = buildConnector.Options;

/**
 * Makes the connector that opens every new socket to an address of a tenant: it refuses literals before connecting, names by all their
 * answers, and looks at the peer of the finished socket once more. It fails closed.
 * @param options of every socket.
 */
export function guardedConnector(guard: AddressGuard, options: ConnectOpts = {}): Connector {
  const each = { ...options, timeout: CONNECT_MS } as buildConnector.BuildOptions;
  const free = buildConnector(each);
  const guarded = buildConnector({ ...each, lookup: guard.lookup } as buildConnector.BuildOptions);
  return (target, callback) => {
    const { protocol, hostname, port } = target;
    const host = hostname.includes(':') ? `[${hostname}]` : hostname;
    const origin = `${protocol}//${host}${port ? `:${port}` : ''}`;
    if (!URL.canParse(origin)) return callback(notAllowed(), null);
    if (guard.isAllowed(new URL(origin))) return free(target, callback);
    if (guard.isForbiddenHost(hostname)) return callback(notAllowed(), null);
    guarded(target, (...result) => {
      const [error, socket] = result;
      if (error || !socket) return callback(error ?? notAllowed(), null);
      if (guard.mayReach(socket.remoteAddress ?? '')) return callback(null, socket);
      socket.destroy();
      callback(notAllowed(), null);
    });
  };
}
