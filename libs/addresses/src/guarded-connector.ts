import { buildConnector } from 'undici';
import { type AddressGuard, notAllowed } from './address-guard.js';

const CONNECT_MS = 3_000;

/**
 * How every new socket to an address of a tenant comes into being: literals are refused before connecting, names by all their
 * answers, and the peer of the finished socket is looked at once more. Fails closed.
 */
export function guardedConnector(guard: AddressGuard): buildConnector.connector {
  const free = buildConnector({ timeout: CONNECT_MS });
  const guarded = buildConnector({
    timeout: CONNECT_MS,
    lookup: guard.lookup,
  } as buildConnector.BuildOptions);
  return (options, callback) => {
    const { protocol, hostname, port } = options;
    const host = hostname.includes(':') ? `[${hostname}]` : hostname;
    const origin = `${protocol}//${host}${port ? `:${port}` : ''}`;
    if (!URL.canParse(origin)) return callback(notAllowed(), null);
    if (guard.isAllowed(new URL(origin))) return free(options, callback);
    if (guard.isForbiddenHost(hostname)) return callback(notAllowed(), null);
    guarded(options, (...result) => {
      const [error, socket] = result;
      if (error || !socket) return callback(error ?? notAllowed(), null);
      if (guard.mayReach(socket.remoteAddress ?? '')) return callback(null, socket);
      socket.destroy();
      callback(notAllowed(), null);
    });
  };
}
