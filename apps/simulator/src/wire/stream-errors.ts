import { type Stanza, stanza } from './nodes.js';

/** Code of a temporary ban: too many people got a message who do not know its sender. */
const SENT_TO_TOO_MANY = 101;

// The `conflict` tells a client why it lost its place; the code is what it reports to its owner.

/** Makes the error for a device whose place another connection of it has taken. */
export const replacedError = (): Stanza =>
  stanza('stream:error', { code: 440 }, [stanza('conflict', { type: 'replaced' })]);

/** Makes the error for a device that is linked no longer. */
export const deviceRemovedError = (): Stanza =>
  stanza('stream:error', { code: 401 }, [stanza('conflict', { type: 'device_removed' })]);

/** Refuses a login with a code as its reason; with `expire`, for so many seconds, and then it names a rule that was broken. */
export const loginFailure = (reason: number, expire: number | null = null): Stanza =>
  stanza('failure', { reason, location: 'sim', ...(expire !== null && { code: SENT_TO_TOO_MANY, expire }) });

/** Refuses a client for its version. */
export const outdatedFailure = (location: string): Stanza => stanza('failure', { reason: 405, location });
