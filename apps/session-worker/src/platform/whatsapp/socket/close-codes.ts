import type { DisconnectReason } from '@svc/contracts';
import type { NextStep, SocketClose } from '../../port.js';
import type { LibrarySocket } from '../messages/outgoing.js';

/** Close code for a door that is shut: HTTP's own codes mean other things among close codes, 401 the end of a link. */
export const REFUSED = 400;
/** Close code for a connection that broke. */
export const CUT = 428;
/** Close code for a socket that was found to be deaf. */
export const DEAF = 408;

const VERDICTS: Record<number, NextStep> = {
  401: { next: 'logged-out', reason: 'UNLINKED' },
  402: { next: 'later', reason: 'TEMPORARILY_BANNED' },
  403: { next: 'stop', reason: 'PLATFORM_REFUSED' },
  405: { next: 'later', reason: 'CLIENT_OUTDATED' },
  406: { next: 'stop', reason: 'BANNED' },
  // The platform refuses what the client says of itself, its version among that: no try of the same helps.
  409: { next: 'later', reason: 'CLIENT_OUTDATED' },
  [DEAF]: { next: 'later', reason: 'KEEP_ALIVE_TIMEOUT' },
  411: { next: 'stop', reason: 'PLATFORM_REFUSED' },
  [CUT]: { next: 'later', reason: 'CONNECTION_LOST' },
  // Another process has logged in with these credentials: the new owner of the partition. Never reconnect on it.
  440: { next: 'stop', reason: 'REPLACED' },
  515: { next: 'again', reason: 'RESTART_REQUIRED' },
};

/** Says what follows from a close code of the platform library (docs/platform-protocol.md, 11). */
export function closeOf(code: number): SocketClose {
  const verdict: NextStep = VERDICTS[code] ?? {
    next: 'later',
    reason: code >= 500 ? 'PLATFORM_ERROR' : 'CONNECTION_REFUSED',
  };
  return { ...verdict, isMalfunction: false, code };
}

/** Code of a ban that ends by itself. */
const BANNED_FOR_A_TIME = 402;
/** Time of a ban that does not name its end, in seconds. */
const DEFAULT_BAN_S = 3_600;
/** Numbers from here on are no times in seconds but moments since 1970: nobody is banned for thirty years. */
const LEAST_MOMENT_S = 1_000_000_000;

/** Reads when a ban ends from the error of a close; undefined for any other close. */
export function banEnd(code: number, error: unknown, now: number): Date | undefined {
  if (code !== BANNED_FOR_A_TIME) return undefined;
  const { data } = Object(error) as { data?: { expire?: unknown } };
  const named = /^\d{1,10}$/.test(String(data?.expire)) ? Number(data?.expire) : 0;
  const seconds = named >= LEAST_MOMENT_S ? named - now / 1_000 : named;
  return new Date(now + 1_000 * (seconds > 0 ? seconds : DEFAULT_BAN_S));
}

/** Says what follows from a socket that did not work for a reason of ours. */
export function malfunction(reason: DisconnectReason, code: number = DEAF): SocketClose {
  return { next: 'later', reason, isMalfunction: true, code };
}

// Library patch: network-codes
/** Reads the close code of an error. The library says 408, as for a platform that is silent, also where the network told at once that nobody is there. */
export function closeCodes({ ws }: LibrarySocket): (error: unknown) => number {
  let wasOpen = false;
  ws.on('open', () => (wasOpen = true));
  return (error) => {
    const { output, data } = Object(error) as { output?: { statusCode?: number }; data?: { code?: unknown } };
    const isNetworkError = typeof data?.code === 'string' && data.code !== 'ETIMEDOUT';
    if (output?.statusCode === DEAF && isNetworkError) return wasOpen ? CUT : REFUSED;
    return output?.statusCode ?? CUT;
  };
}
