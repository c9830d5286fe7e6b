import { entry, type ErrorEntry } from './error-entry.js';

/** Errors that are our own fault, or that of something that we need. */
export const SERVER_ERRORS = {
  INTERNAL: entry(
    500,
    true,
    'error',
    'Something went wrong on our side.',
    'Try again with the same clientMessageId; report the requestId if it persists.',
  ),
  PLATFORM_UNAVAILABLE: entry(
    503,
    true,
    'warn',
    'The platform did not answer in time.',
    'Try again after the number of seconds in Retry-After.',
  ),
  SANDBOX_UNAVAILABLE: entry(
    503,
    true,
    'warn',
    'The sandbox is not available.',
    'Try again later; an installation has a sandbox where SANDBOX_PLATFORM_URL and SANDBOX_CONTROL_URL are set.',
  ),
  UPSTREAM_UNAVAILABLE: entry(
    503,
    true,
    'warn',
    'A part of the gateway is not available at this moment.',
    'Try again after the number of seconds in Retry-After, with the same clientMessageId.',
  ),
  UPSTREAM_TIMEOUT: entry(
    504,
    true,
    'warn',
    'A part of the gateway did not answer in time.',
    'Try again with the same clientMessageId: a repeat never sends twice.',
  ),
} as const satisfies Record<string, ErrorEntry>;
