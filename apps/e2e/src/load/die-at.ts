import { waitFor } from '@svc/testing';
import { Inspector } from '../stack/inspector.js';
import type { Stack } from '../stack/stack.js';

const REACHED_LIMIT_MS = 60_000;

/** A step of a service, and how often it is left behind before the kill. */
export interface StepToDieAt {
  /** Name of the process. */
  process: string;
  /** Name of its app: the channel is `<app>.step`. */
  app: string;
  step: string;
  passes: number;
}

/**
 * Has the process kill itself when it reaches the step once more than so often. It learns so through its
 * inspector: nothing of this is built into it but the names of the steps.
 * @returns `died` resolves when it has; it throws when it does not come to that, and ends the process.
 */
export async function dieAt(
  stack: Stack,
  { process: name, app, step, passes }: StepToDieAt,
): Promise<{ pid: number; died: () => Promise<void> }> {
  const pid = stack.pidOf(name);
  const inspector = await Inspector.of(stack, name);
  await inspector.run(`{
    let left = ${passes};
    const { subscribe } = process.getBuiltinModule('node:diagnostics_channel');
    subscribe(${JSON.stringify(`${app}.step`)}, (step) => {
      if (step === ${JSON.stringify(step)} && left-- === 0) process.kill(process.pid, 'SIGKILL');
    });
  }`);
  inspector.close();
  const died = async (): Promise<void> => {
    try {
      await waitFor(`${name} to reach ${step}`, () => hasEnded(pid), REACHED_LIMIT_MS);
    } catch (error) {
      // The next one begins with a process that waits for no step.
      process.kill(pid, 'SIGKILL');
      throw error;
    }
  };
  return { pid, died };
}

function hasEnded(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}
