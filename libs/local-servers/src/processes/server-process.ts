import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { isMainThread } from 'node:worker_threads';
import { endWithParent } from './parent-death.js';
import type { StopStep } from './processes.js';
import { CLEAN_ENVIRONMENT, type ServerUser } from './run.js';

/** Receives one line at a time: what a server prints, and what we have to say about it. */
export type LogLine = (line: string) => void;

/** End of a server. `expected` is true when `stop()` had been called. */
export interface ServerExit {
  code: number | null;
  signal: NodeJS.Signals | null;
  expected: boolean;
}

/** The plan says which server to run and how to end it. */
export interface ServerPlan {
  command: string;
  args: string[];
  cwd: string;
  user?: ServerUser | undefined;
  /** Signal of the kernel to the server when this process dies. */
  deathSignal: 'INT' | 'TERM';
  stopSteps: readonly StopStep[];
  log: LogLine;
}

/** A running server program: its output by lines, its end, and the way to bring that about. */
export interface ServerProcess {
  readonly pid: number;
  /** Resolves when the program has ended. */
  readonly exited: Promise<ServerExit>;
  /** The program has ended. */
  readonly ended: boolean;
  /** Returns the last lines the program printed; complete once `exited` has resolved. */
  lastLines(): string[];
  stop(): Promise<void>;
}

const KEPT_LINES = 20;

/**
 * Starts a server that cannot outlive this process: `setpriv` asks the kernel to signal it when we die, even by
 * SIGKILL. The kernel ties that to the thread that started it, hence main thread only. The server gets a session of
 * its own, since Ctrl-C in the terminal would otherwise stop it before the services that still use it.
 */
export async function startServerProcess(plan: ServerPlan): Promise<ServerProcess> {
  if (!isMainThread)
    throw new Error('Start servers from the main thread: they would end with this worker thread.');
  const bound = await endWithParent(plan.deathSignal, [plan.command, plan.args]);
  if (!bound)
    plan.log('setpriv is missing: if this process is killed, its servers run on until the next start');
  const [command, args] = bound ?? [plan.command, plan.args];
  const child = spawn(command, args, {
    cwd: plan.cwd,
    env: CLEAN_ENVIRONMENT,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(plan.user && { uid: plan.user.uid, gid: plan.user.gid }),
  });
  await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject));
  if (!bound) process.once('exit', () => child.kill(`SIG${plan.deathSignal}`));
  return supervise(child, plan);
}

function supervise(child: ChildProcess, plan: ServerPlan): ServerProcess {
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream) continue;
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line);
      if (lines.length > KEPT_LINES) lines.shift();
      plan.log(line);
    });
  }
  let stopping: Promise<void> | undefined;
  let ended = false;
  const exited = new Promise<ServerExit>((resolve) => {
    child.once('exit', (code, signal) => {
      ended = true;
      const exit = { code, signal, expected: stopping !== undefined };
      // The last lines are still in the pipe; but a grandchild may keep it open, so do not wait for its end for ever.
      void Promise.race([new Promise((drained) => child.once('close', drained)), delay(200)]).then(() =>
        resolve(exit),
      );
    });
  });
  const stop = async (): Promise<void> => {
    for (const [signal, waitMs] of plan.stopSteps) {
      child.kill(signal);
      const waiting = new AbortController();
      await Promise.race([
        exited,
        delay(waitMs, undefined, { signal: waiting.signal }).catch(() => undefined),
      ]);
      waiting.abort();
      if (ended) return;
    }
    throw new Error(`${plan.command} does not end.`);
  };
  return {
    pid: child.pid ?? 0,
    exited,
    get ended() {
      return ended;
    },
    lastLines: () => [...lines],
    stop: () => (stopping ??= ended ? Promise.resolve() : stop()),
  };
}
