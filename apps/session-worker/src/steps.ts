import { crashSteps } from '@svc/service';

/** Name of the channel. */
export const STEPS_CHANNEL = 'session-worker.step';

/** Steps on a message's way out and in, and of a link with a passkey; docs/architecture.md says what has been done at each. */
export type Step =
  | `out-${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14}`
  | `in-${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8}`
  | `link-${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10}`;

/** A message, or a link, is right behind this step: a drill or a test ends the process here. */
export const atStep = crashSteps<Step>(STEPS_CHANNEL);
