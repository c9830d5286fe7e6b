import { type Stanza, stanza } from './nodes.js';

// The `conflict` tells a client why it lost its place; the code is what it reports to its owner.

/** Makes the error for a device whose place another connection of it has taken. */
export const replacedError = (): Stanza =>
  stanza('stream:error', { code: 440 }, [stanza('conflict', { type: 'replaced' })]);

/** Makes the error for a device that is linked no longer. */
export const deviceRemovedError = (): Stanza =>
  stanza('stream:error', { code: 401 }, [stanza('conflict', { type: 'device_removed' })]);

/** Refuses a login with a code as its reason. */
export const loginFailure = (reason: number): Stanza => stanza('failure', { reason, location: 'sim' });
