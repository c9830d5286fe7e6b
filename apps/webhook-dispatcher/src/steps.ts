import { crashSteps } from '@svc/service';

/** Name of the channel that publishes steps. */
export const STEPS_CHANNEL = 'webhook-dispatcher.step';

/** Steps on a delivery's way; docs/architecture.md says what has been done at each. */
export type Step = `hook-${1 | 2 | 3 | 4 | 5 | 6 | 7}`;

/** Publishes that a delivery is right behind this step: the drill `kill-dispatcher` ends the process here. */
export const atStep = crashSteps<Step>(STEPS_CHANNEL);
