import type { StatusReason } from '@svc/contracts';
import type { SocketClose } from '../../port.js';
import type { LibrarySocket } from '../messages/outgoing.js';

/** Close code for a door that is shut: HTTP's own codes mean other things among close codes, 401 the end of a link. */
export const REFUSED = 400;
/** Close code for a connection that broke. */
export const CUT = 428;
/** Close code for a socket that was found to be deaf. */
export const DEAF = 408;

type Verdict = Pick<SocketClose, 'next' | 'reason'>;

const VERDICTS: Record<number, Verdict> = {
  401: { next: 'logged-out', reason: 'UNLINKED' },
  403: { next: 'stop', reason: 'PLATFORM_REFUSED' },
  [DEAF]: { next: 'later', reason: 'KEEP_ALIVE_TIMEOUT' },
  411: { next: 'stop', reason: 'PLATFORM_REFUSED' },
  [CUT]: { next: 'later', reason: 'CONNECTION_LOST' },
  // Another process has logged in with these credentials: the new owner of the partition. Never reconnect on it.
  440: { next: 'stop', reason: 'REPLACED' },
  515: { next: 'again', reason: 'RESTART_REQUIRED' },
};

/** Says what follows from a close code of the platform library (docs/platform-protocol.md, 11). */
export function closeOf(code: number): SocketClose {
  const verdict: Verdict = VERDICTS[code] ?? {
    next: 'later',
    reason: code >= 500 ? 'PLATFORM_ERROR' : 'CONNECTION_REFUSED',
  };
  return { ...verdict, isMalfunction: false, code };
}

/** Says what follows from a socket that did not work for a reason of ours. */
export function malfunction(reason: StatusReason, code: number = DEAF): SocketClose {
  return { ...closeOf(code), reason, isMalfunction: true };
}

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
