import { type ChildProcess, fork } from 'node:child_process';
import { closeSync, existsSync } from 'node:fs';
import type { Runtime } from '../services/runtime.js';
import { setNiceness } from './niceness.js';
import type { LogFile } from '../state/log-file.js';
import type { Exit, Running } from './supervised.js';

const READY_WITHIN_MS = 60_000;
const GUARD = new URL('./end-with-launcher.js', import.meta.url).href;

/** The message of a service that is ready; the simulator says more than its port. */
export type ReadyMessage = Record<string, unknown> & { type: 'ready' };

/** A running service. */
export interface Child extends Running {
  readonly ready: ReadyMessage;
}

/** The plan says which program to run. */
export interface ChildPlan {
  program: string;
  env: NodeJS.ProcessEnv;
  log: LogFile;
}

/** The plan of a service says how to run it, too. */
export interface ServicePlan extends ChildPlan {
  runtime: Pick<Runtime, 'nodeFlags' | 'niceness' | 'graceSeconds'>;
}

/** Starts a service and waits until it says that it is ready; an abort ends it. */
export async function startChild(plan: ServicePlan, aborted: AbortSignal): Promise<Child> {
  const { nodeFlags, niceness, graceSeconds } = plan.runtime;
  const child = forkProgram(plan, nodeFlags);
  const exited = exitOf(child);
  if (niceness && child.pid !== undefined) setNiceness(child.pid, niceness);
  let expected = false;
  const stop = async (): Promise<void> => {
    expected = true;
    child.kill('SIGTERM');
    const force = setTimeout(() => child.kill('SIGKILL'), graceSeconds * 1000);
    await exited;
    clearTimeout(force);
  };
  const onAbort = (): void => void stop();
  aborted.addEventListener('abort', onAbort, { once: true });
  try {
    const ready = await readyMessage(child, exited, plan.log);
    return {
      pid: child.pid as number,
      ready,
      stop,
      onExit: (listener) => void exited.then((exit) => listener({ ...exit, expected })),
    };
  } catch (error) {
    await stop();
    throw error;
  } finally {
    aborted.removeEventListener('abort', onAbort);
  }
}

/** Runs a program to its end; an abort ends it. */
export async function runToEnd(plan: ChildPlan, aborted: AbortSignal): Promise<void> {
  const child = forkProgram(plan);
  const onAbort = (): void => void child.kill('SIGTERM');
  aborted.addEventListener('abort', onAbort, { once: true });
  const exit = await exitOf(child);
  aborted.removeEventListener('abort', onAbort);
  if (exit.code !== 0) throw new Error(lastWords(`ended with ${describeExit(exit)}`, plan.log));
}

export function describeExit({ code, signal }: Pick<Exit, 'code' | 'signal'>): string {
  return signal ?? `code ${code}`;
}

function forkProgram({ program, env, log }: ChildPlan, nodeFlags: readonly string[] = []): ChildProcess {
  if (!existsSync(program)) throw new Error(`${program} is missing. Build first: npm run build`);
  const descriptor = log.open();
  try {
    return fork(program, [], {
      env,
      // A program that gets SIGUSR1 opens its inspector on a free port: there are many on this machine.
      execArgv: [...nodeFlags, '--inspect-port=0', '--import', GUARD],
      stdio: ['ignore', descriptor, descriptor, 'ipc'],
      // A session of its own: Ctrl-C in the terminal reaches us alone, and we stop them in order.
      detached: true,
    });
  } finally {
    closeSync(descriptor);
  }
}

function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal, expected: false }));
    child.once('error', () => resolve({ code: null, signal: null, expected: false }));
  });
}

async function readyMessage(child: ChildProcess, exited: Promise<Exit>, log: LogFile): Promise<ReadyMessage> {
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<ReadyMessage>((resolve, reject) => {
      child.on('message', (message) => {
        if (isReady(message)) resolve(message);
      });
      void exited.then((exit) => reject(new Error(lastWords(`ended with ${describeExit(exit)}`, log))));
      timer = setTimeout(
        () => reject(new Error(lastWords(`was not ready within ${READY_WITHIN_MS / 1000} s`, log))),
        READY_WITHIN_MS,
      );
    });
  } finally {
    clearTimeout(timer);
  }
}

function isReady(message: unknown): message is ReadyMessage {
  return typeof message === 'object' && message !== null && 'type' in message && message.type === 'ready';
}

function lastWords(what: string, log: LogFile): string {
  return [`${what}. The end of ${log.path}:`, ...log.lastLines().map((line) => `    ${line}`)].join('\n');
}
