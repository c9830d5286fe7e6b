import { entry, type ErrorEntry } from './error-entry.js';

/** Errors of what was there, and is not any more. */
export const GONE_ERRORS = {
  PASSKEY_ENDED: entry(
    410,
    false,
    'info',
    'The link that needed a passkey has come to nothing.',
    'Link the number again, with a new code; meta.reason says why it ended.',
  ),
  LINK_ENDED: entry(
    410,
    false,
    'debug',
    'This link has ended.',
    'Ask whoever sent it for another one; meta.reason says whether it was used or its time is over.',
  ),
  CURSOR_EXPIRED: entry(
    410,
    false,
    'info',
    'The event of this cursor is not kept any more, and later ones may be gone with it.',
    'Read the log without a cursor, and compare with what you have: events in between may be missing.',
  ),
  MEDIA_GONE: entry(
    410,
    false,
    'info',
    'The file of this message is not here.',
    'Ask the sender to send it again; meta.reason says why it is missing.',
  ),
} as const satisfies Record<string, ErrorEntry>;
