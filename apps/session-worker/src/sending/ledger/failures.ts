import { type FailureCode, LIMIT_LAYERS, type LimitLayer, type MessageFailure } from '@svc/contracts';
import { refusalWords } from '@svc/service';
import { NoAnswerError, NotInGroupError, NotOnPlatformError } from '../../platform/errors.js';

/** Tries of one message on sockets that worked; those that a broken socket cut off do not count. */
export const MAX_TRIES = 3;

const FAILURE_WORDS: Record<FailureCode, string> = {
  SESSION_LOGGED_OUT: 'The session was logged out before the message went out.',
  SESSION_DELETED: 'The session was deleted before the message went out.',
  EXPIRED: 'It waited too long: for its session, or for a media store that was away.',
  NOT_ON_PLATFORM: 'The number is not registered on the platform.',
  NOT_IN_GROUP: 'There is no such group, or the session does not belong to it.',
  REJECTED_BY_PLATFORM: 'The platform refused the message.',
  NO_ACK: 'The platform did not acknowledge the message, also not when it was sent again.',
  SEND_ERROR: 'The message could not be made ready for its recipient.',
  MEDIA_UNAVAILABLE: 'The file could not be read or fetched.',
  MEDIA_REFUSED: 'The file is not one that can be sent like this.',
  MEDIA_UPLOAD_FAILED: 'The file could not be handed to the platform.',
  ACCOUNT_RESTRICTED: 'The platform has restricted the number: it may not write to new contacts.',
  NEW_CHAT_QUOTA: 'The number has begun as many chats as the platform lets it.',
  CANCELED: 'It was canceled before it went out.',
  BOT_MODE_CHANGED: 'Somebody else answered the session by the time at which it was to go out.',
  OVERTAKEN: 'Somebody had written to the chat on the phone by the time at which it was to go out.',
  CONTACT_OPTED_OUT: 'The contact had opted out by the time at which it was to go out.',
  SESSION_NOT_CONNECTED: 'The session was not connected at the time at which it was to go out.',
  RATE_LIMITED: 'A limit was used up at the time at which it was to go out.',
  PAYMENT_REQUIRED: 'The subscription was not active at the time at which it was to go out.',
  VALIDATION_FAILED:
    'The message that it was to change had been deleted by the time at which it was to go out.',
};

/**
 * Layers that get their unit back after a failure. What the platform saw, or may have seen at an earlier try, was sent as far as limits go.
 * To write to strangers who do not exist is what the warmup protects a number from, so there the session's unit stays used.
 */
const GIVEN_BACK: Record<FailureCode, readonly LimitLayer[]> = {
  SESSION_LOGGED_OUT: LIMIT_LAYERS,
  SESSION_DELETED: LIMIT_LAYERS,
  EXPIRED: LIMIT_LAYERS,
  NOT_ON_PLATFORM: ['plan'],
  NOT_IN_GROUP: [],
  REJECTED_BY_PLATFORM: [],
  NO_ACK: [],
  SEND_ERROR: [],
  MEDIA_UNAVAILABLE: LIMIT_LAYERS,
  MEDIA_REFUSED: LIMIT_LAYERS,
  MEDIA_UPLOAD_FAILED: LIMIT_LAYERS,
  ACCOUNT_RESTRICTED: LIMIT_LAYERS,
  NEW_CHAT_QUOTA: LIMIT_LAYERS,
  CANCELED: LIMIT_LAYERS,
  BOT_MODE_CHANGED: [],
  OVERTAKEN: [],
  CONTACT_OPTED_OUT: LIMIT_LAYERS,
  SESSION_NOT_CONNECTED: LIMIT_LAYERS,
  RATE_LIMITED: LIMIT_LAYERS,
  PAYMENT_REQUIRED: LIMIT_LAYERS,
  VALIDATION_FAILED: LIMIT_LAYERS,
};

/** Failures that meet a message wherever it is, perhaps on its way; the others say themselves that it did not go out. */
const WHEREVER_IT_IS: ReadonlySet<FailureCode> = new Set([
  'SESSION_LOGGED_OUT',
  'SESSION_DELETED',
  'EXPIRED',
]);

/** Failures of a message that may have been tried before: its unit comes back only where nothing of it was handed over. */
const PERHAPS_TRIED: ReadonlySet<FailureCode> = new Set(['SEND_ERROR', 'BOT_MODE_CHANGED', 'OVERTAKEN']);

/**
 * Says why a message failed, in the words tenants see; `detail` e.g. the platform's error number.
 * @param isUnseen nothing of the message was ever handed over
 */
export function failureOf(code: FailureCode, detail?: string, isUnseen = false): MessageFailure {
  const message = detail ? `${FAILURE_WORDS[code]} (${detail})` : FAILURE_WORDS[code];
  const givenBack = PERHAPS_TRIED.has(code) && isUnseen ? LIMIT_LAYERS : GIVEN_BACK[code];
  return { code, message, givenBack: [...givenBack] };
}

/** Makes the same failure of a message that may have been handed over. */
export function perhapsSent(failure: MessageFailure): MessageFailure {
  return WHEREVER_IT_IS.has(failure.code) ? { ...failure, givenBack: [] } : failure;
}

/** Error of a file that cannot be sent; `final` where another try would not help. */
export class FileError extends Error {
  override readonly name = 'FileError';

  constructor(
    readonly code: Extract<FailureCode, `MEDIA_${string}`>,
    readonly detail: string,
    readonly final: boolean,
  ) {
    super(detail);
  }
}

/** Makes the error of a file that is larger than may be sent. */
export function tooLarge(maxBytes: number): FileError {
  return new FileError('MEDIA_REFUSED', `it is larger than ${maxBytes} bytes`, true);
}

/** Says how a message fails that could not be handed over: now, where that is `final`, else after its last try. */
export function sendFailureOf(error: unknown): { code: FailureCode; detail?: string; final: boolean } {
  if (error instanceof NotOnPlatformError) return { code: 'NOT_ON_PLATFORM', final: true };
  if (error instanceof NotInGroupError) return { code: 'NOT_IN_GROUP', final: true };
  if (error instanceof FileError) return { code: error.code, detail: error.detail, final: error.final };
  const detail =
    error instanceof NoAnswerError ? 'the platform does not say where the recipient is' : undefined;
  return { code: 'SEND_ERROR', ...(detail ? { detail } : {}), final: false };
}

/** Makes the fields of a line about a message that the database has refused. */
export function refusalFields(jobId: string, error: unknown): object {
  return { jobId, err: error, words: refusalWords(error) };
}

/** Says in the words of the error why a message could not be sent. */
export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown';
}
