import { channel } from 'node:diagnostics_channel';

/**
 * Makes the function that says which step of its work a service has just left behind. A drill subscribes to the channel from
 * outside and ends the process there; without it nobody hears.
 */
export function stepsOf<Step extends string>(channelName: string): (step: Step) => void {
  const steps = channel(channelName);
  return (step) => {
    if (steps.hasSubscribers) steps.publish(step);
  };
}
