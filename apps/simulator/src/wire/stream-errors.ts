import { type Stanza, stanza } from './nodes.js';

// `conflict` tells a client why it lost its place; the code is what it reports to its owner.

/** Tells a device that another connection of it has taken its place. */
export const replacedError = (): Stanza =>
  stanza('stream:error', { code: 440 }, [stanza('conflict', { type: 'replaced' })]);

/** Tells a device that it is linked no longer. */
export const deviceRemovedError = (): Stanza =>
  stanza('stream:error', { code: 401 }, [stanza('conflict', { type: 'device_removed' })]);

/** Refuses a login with a code as its reason. */
export const loginFailure = (reason: number): Stanza => stanza('failure', { reason, location: 'sim' });
