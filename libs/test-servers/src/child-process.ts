import { type ChildProcess, fork } from 'node:child_process';
import { testRun } from './config.js';

/** A service that runs as a process of its own, from its built files. */
export interface ServiceProcess {
  pid: number;
  /** Message that the process sent by IPC when it was ready: `{type: 'ready', port, …}`. */
  ready: Record<string, unknown>;
  /** Returns the text that the process wrote to standard output and error so far. */
  output(): string;
  /** Sends the signal (SIGTERM by default) and waits for the end; resolves with the exit code, null after a signal. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/**
 * Forks `node <main>` with this environment alone (plus PATH) and waits for its ready message.
 * @throws Error with its output when it ends before.
 */
export async function startProcess(main: string, env: Record<string, string>): Promise<ServiceProcess> {
  const child = fork(main, [], {
    env: { PATH: testRun.path, ...env },
    silent: true,
    execArgv: [],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ready = await readyMessage(child, () => output);
  return {
    pid: child.pid as number,
    ready,
    output: () => output,
    stop: async (signal = 'SIGTERM') => {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
      child.kill(signal);
      return exited;
    },
  };
}

function readyMessage(child: ChildProcess, output: () => string): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(message as Record<string, unknown>));
    child.once('close', (code) =>
      reject(new Error(`The process ended with ${code} before it was ready:\n${output()}`)),
    );
    child.once('error', reject);
  });
}
