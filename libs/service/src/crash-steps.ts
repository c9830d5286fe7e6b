import { channel } from 'node:diagnostics_channel';

/**
 * Makes the function that names the step of its work that a service has just done. A drill subscribes to the channel from outside and ends
 * the process at a step; without one the function does nothing.
 */
export function crashSteps<Step extends string>(channelName: string): (step: Step) => void {
  const steps = channel(channelName);
  return (step) => {
    if (steps.hasSubscribers) steps.publish(step);
  };
}
