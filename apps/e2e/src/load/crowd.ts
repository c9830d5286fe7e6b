import { waitFor, WebhookReceiver } from '@svc/testing';
import { Actor, createTenant, linkActors, type NewTenant } from '../stack/actor.js';
import { Stack } from '../stack/stack.js';
import { SessionWatch } from './session-watch.js';

const RESTART_LIMIT_MS = 60_000;

/** Crowd of several workers with many sessions of one tenant, whose events all go to one receiver. */
export interface Crowd {
  stack: Stack;
  receiver: WebhookReceiver;
  actors: Actor[];
  watch: SessionWatch;
  workers: string[];
}

/**
 * Starts a stack and links the sessions, in the usual way or in another one; returns when they are calm at their owners.
 * @param size `roots`: for processes that are started from another copy of the repository
 */
export async function gather(
  size: { workers: number; sessions: number; roots?: Record<string, string> },
  say: (line: string) => void,
  link: (stack: Stack, tenant: NewTenant) => Promise<Actor> = (stack, tenant) => Actor.link(stack, tenant),
): Promise<Crowd> {
  const stack = await Stack.start({ SESSION_WORKERS: String(size.workers) }, size.roots);
  const receiver = await WebhookReceiver.start();
  const tenant = await createTenant(stack, '--plan', 'ENTERPRISE', '--internal');
  const prepare = async (actor: Actor): Promise<void> => {
    await actor.promote();
    await actor.listen(receiver);
  };
  const actors = await linkActors(stack, tenant, size.sessions, prepare, () => link(stack, tenant));
  say(`  ${size.sessions} sessions linked`);
  const workers = stack.file.processes
    .map(({ name }) => name)
    .filter((name) => name.startsWith('session-worker'));
  const watch = await SessionWatch.start(stack, actors);
  say(`  ${workers.join(', ')} have their shares`);
  return { stack, receiver, actors, watch, workers };
}

/** Waits until a process that ended runs again. */
export async function untilReplaced(stack: Stack, name: string, oldPid: number): Promise<void> {
  const isNew = (): boolean => stack.file.processes.some((one) => one.name === name && one.pid !== oldPid);
  await waitFor(`${name} to run again`, isNew, RESTART_LIMIT_MS);
}

/** Ends what `gather` began, but for the stack, which ends with the run. */
export async function disperse({ receiver }: Crowd): Promise<void> {
  await receiver.stop();
}
