import type { DisconnectReason, LogoutReason } from '@svc/contracts';

/** A mishap ended a connection without anybody's wish; it counts against the number. */
export type MishapKind = 'DISCONNECTED' | 'LOGGED_OUT';

/** Reason for the end of a connection. */
type EndReason = DisconnectReason | LogoutReason;

/** Ends of a connection that say nothing of the number: somebody wished it, or it is our own doing. */
const PLANNED: ReadonlySet<EndReason> = new Set([
  ...(['USER_REQUEST', 'LOGOUT_REQUESTED', 'QR_EXPIRED', 'PROXY_CHANGED'] as const),
  ...(['MAINTENANCE', 'WORKER_LOST', 'CREDENTIALS_UNREADABLE'] as const),
]);

/** Classifies the end of a connection; undefined: it was planned. A number that the platform refuses is banned, however its connection ended. */
export function mishapOf(kind: MishapKind, reason: EndReason): MishapKind | undefined {
  if (PLANNED.has(reason)) return undefined;
  return reason === 'PLATFORM_REFUSED' ? 'LOGGED_OUT' : kind;
}
