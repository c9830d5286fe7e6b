import { channel } from 'node:diagnostics_channel';

/** Name of the channel; a drill subscribes to it from outside, nothing in this app does. */
export const STEPS_CHANNEL = 'session-worker.step';

const steps = channel(STEPS_CHANNEL);

/** Steps on a message's way out and in; docs/architecture.md says what has been done at each. */
export type Step =
  `out-${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14}` | `in-${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8}`;

/** A message is right behind this step. The drill `crash-points` ends the process here; without it nobody hears. */
export function atStep(step: Step): void {
  if (steps.hasSubscribers) steps.publish(step);
}
