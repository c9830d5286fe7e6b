import { AppError } from './app-error.js';

/** Words for a state or a reason: what it means, and what its reader does. */
export interface StateWords {
  readonly means: string;
  readonly next: string;
}

/** Observed states of a session. */
export const SESSION_STATUS_WORDS = {
  NEW: { means: 'it was never connected', next: 'nothing, it begins to connect' },
  CONNECTING: { means: 'it connects', next: 'nothing' },
  AWAITING_SCAN: { means: 'a QR code waits', next: 'show it: GET /v1/sessions/{id}/qr' },
  PASSKEY_REQUIRED: { means: 'the platform asks for the passkey of the account', next: 'open a link page' },
  CONNECTED: { means: 'it is live', next: 'nothing' },
  RECONNECTING: { means: 'it was away, and comes back by itself', next: 'nothing' },
  DEGRADED: {
    means: 'it is connected, and there are doubts that the connection works; sends go on',
    next: 'nothing, the doubts pass or it is connected anew',
  },
  DISCONNECTED: { means: 'it stays away', next: 'see statusReason' },
  LOGGED_OUT: { means: 'no number is linked', next: 'link one: POST /v1/sessions/{id}/connect' },
} as const satisfies Record<string, StateWords>;
/** State of a session. */
export type SessionStatus = keyof typeof SESSION_STATUS_WORDS;

/** Says whether sends go: the session is connected, whatever doubts there are. */
export function isLive(status: SessionStatus): boolean {
  return status === 'CONNECTED' || status === 'DEGRADED';
}

const BY_ITSELF = 'nothing, it comes back by itself';
const CONNECT = 'POST /v1/sessions/{id}/connect';

/** Reasons for which a session is away and on its way back: `willReconnect` is true. */
const COMES_BACK = {
  CONNECTION_LOST: { means: 'the connection broke', next: BY_ITSELF },
  CONNECTION_REFUSED: { means: 'the platform does not take the connection', next: BY_ITSELF },
  PLATFORM_ERROR: { means: 'the platform has an error of its own', next: BY_ITSELF },
  LOGIN_TIMEOUT: { means: 'the platform does not answer the login', next: BY_ITSELF },
  // The watchdog has these five findings: the session looked connected and did not work, so it is connected anew.
  KEEP_ALIVE_TIMEOUT: { means: 'the platform sends nothing, not even answers to pings', next: BY_ITSELF },
  STREAM_UNREADABLE: { means: 'what the platform sent could not be read', next: BY_ITSELF },
  PROCESSING_STALLED: { means: 'messages stand still inside, in or out', next: BY_ITSELF },
  UNANSWERED: { means: 'the platform answers pings, and no sends or questions', next: BY_ITSELF },
  LIBRARY_ERROR: { means: 'an error in the gateway ended the connection', next: BY_ITSELF },
  WORKER_LOST: { means: 'the process that held it is gone, another one takes it over', next: BY_ITSELF },
  MAINTENANCE: { means: 'the gateway moves it to another process', next: BY_ITSELF },
  PROXY_CHANGED: { means: 'it goes through another proxy from now on', next: BY_ITSELF },
  PROXY_FAILED: {
    means: 'its proxy is away, refuses us, or is where it must not be',
    next: 'mend the proxy or set another one; it goes on trying by itself',
  },
  CLIENT_OUTDATED: {
    means: 'the platform no longer takes this version of the client',
    next: 'nothing, the operator brings another version and it comes back by itself',
  },
  TEMPORARILY_BANNED: {
    means: 'the platform has banned the number until `until`',
    next: 'nothing, it comes back by itself then; write less, and to people who expect it',
  },
} as const satisfies Record<string, StateWords>;

/** Reasons for which a session stays away until somebody acts: `willReconnect` is false. */
const STAYS_AWAY = {
  USER_REQUEST: { means: 'you disconnected it', next: `${CONNECT} when it shall come back` },
  QR_EXPIRED: { means: 'nobody looked at its QR code any more', next: `${CONNECT}, and show the code` },
  REPLACED: { means: 'another process took the link over', next: `${CONNECT}; if it comes again, link anew` },
  PLATFORM_REFUSED: {
    means: 'the platform refuses the number',
    next: `look at the phone whether it is banned; then ${CONNECT}`,
  },
  BANNED: {
    means: 'the platform has banned the number for good',
    next: 'appeal on the phone, or link another number',
  },
  CREDENTIALS_UNREADABLE: {
    means: 'what links the number cannot be read here',
    next: 'tell the operator; or log out, and link anew',
  },
} as const satisfies Record<string, StateWords>;

/** Reasons of `session.disconnected`: first those from which a session comes back by itself. */
export const DISCONNECT_REASONS = { ...COMES_BACK, ...STAYS_AWAY };
/** Name in `DISCONNECT_REASONS`. */
export type DisconnectReason = keyof typeof DISCONNECT_REASONS;

/** Reasons of `session.logged_out`. */
export const LOGOUT_REASONS = {
  UNLINKED: { means: 'the number was unlinked on the phone, or by the platform', next: 'link it anew' },
  LOGOUT_REQUESTED: { means: 'you logged it out, or deleted it', next: 'nothing; to use it again, link it' },
} as const satisfies Record<string, StateWords>;
/** Name in `LOGOUT_REASONS`. */
export type LogoutReason = keyof typeof LOGOUT_REASONS;

/** Reasons of the way to a connection, which only the status of a session has: no event names them. */
export const CONNECT_REASONS = {
  CREATED: { means: 'it is new', next: 'nothing, it begins to connect' },
  CONNECT_REQUESTED: { means: 'it connects, as was asked', next: 'nothing' },
  RESTART_REQUIRED: {
    means: 'it connects once more, as the platform asked or to try a version',
    next: 'nothing',
  },
  QR_READY: SESSION_STATUS_WORDS.AWAITING_SCAN,
  PASSKEY_ASKED: SESSION_STATUS_WORDS.PASSKEY_REQUIRED,
  PASSKEY_FAILED: {
    means: 'a link with a passkey came to nothing',
    next: 'nothing, another QR code follows',
  },
  LINKED: { means: 'a link with a passkey is made', next: 'nothing, it logs in' },
  LOGGED_IN: SESSION_STATUS_WORDS.CONNECTED,
} as const satisfies Record<string, StateWords>;

/** Reasons for the status of a session. */
export const STATUS_REASONS = Object.keys({ ...CONNECT_REASONS, ...DISCONNECT_REASONS, ...LOGOUT_REASONS });
/** Reason for the status of a session. */
export type StatusReason = keyof typeof CONNECT_REASONS | DisconnectReason | LogoutReason;

/** Says whether a session that is disconnected for this reason comes back by itself. */
export function comesBack(reason: DisconnectReason): boolean {
  return reason in COMES_BACK;
}

/** Writes a table of states or reasons as the lines of a description. */
export function linesOf(head: string, table: Record<string, StateWords>): string {
  const lines = Object.entries(table).map(
    ([name, { means, next }]) => `- \`${name}\`: ${means}. Next: ${next}.`,
  );
  return [head, '', ...lines].join('\n');
}

/** State of a session, as far as it says whether and why it is away. */
interface Observed {
  status: SessionStatus;
  statusReason: StatusReason;
  phone: string | null;
}

/** Reasons of a session that goes from one process of ours to another one. */
const MOVES: readonly StatusReason[] = ['MAINTENANCE', 'WORKER_LOST'];

/** Says whether a linked session is between two processes of ours: nothing of the number or of the platform keeps it away. */
export function isMoving(session: Observed): boolean {
  const connects = session.status === 'RECONNECTING' || session.status === 'CONNECTING';
  return connects && session.phone !== null && MOVES.includes(session.statusReason);
}

/**
 * Makes the error of what needs a session that is connected, where it is not. A session that moves to another process of ours is back in a moment, as it is in
 * every roll-out: its caller hears that we are not available, and repeats the call.
 */
export function sessionAway(session: Observed & { id: string }): AppError {
  const { id: sessionId, status, statusReason } = session;
  const meta = { sessionId, status, statusReason };
  if (!isMoving(session)) return new AppError('SESSION_NOT_CONNECTED', undefined, meta);
  return new AppError('UPSTREAM_UNAVAILABLE', 'The session moves to another process of the gateway.', meta);
}
