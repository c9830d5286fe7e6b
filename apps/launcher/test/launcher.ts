import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitFor } from '@svc/testing';
import { ROOT } from '../src/config.js';
import type { StackDescription } from '../src/state/stack-file.js';

const MAIN = join(ROOT, 'apps/launcher/dist/main.js');
const READY_WITHIN_MS = 180_000;
/** Time after which a program is ended that should have ended by itself, in ms. */
const RUN_LIMIT_MS = 120_000;

/** Description of a stack of all services: it has a demo tenant. */
export type WholeStack = StackDescription & { demo: NonNullable<StackDescription['demo']> };

/** A launcher as a person starts it: a process of its own, in a folder that is not the repository. */
export class Launcher {
  output = '';
  readonly exited: Promise<number | null>;
  private readonly child: ChildProcess;

  constructor(
    readonly dataDir: string,
    env: Record<string, string> = {},
    args: string[] = [],
  ) {
    this.child = spawn(process.execPath, [MAIN, 'start', ...args], {
      cwd: '/',
      env: { PATH: process.env['PATH'] ?? '', DATA_DIR: dataDir, GATEWAY_PORT: '0', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    }
    this.exited = new Promise((resolve) => this.child.once('close', resolve));
  }

  get pid(): number {
    return this.child.pid as number;
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Ends it the orderly way; the exit code. */
  stop(): Promise<number | null> {
    this.signal('SIGTERM');
    return this.exited;
  }

  /** Waits until everything is ready and returns what it printed; fails with its output when it ended instead. */
  async ready(): Promise<WholeStack> {
    let ended = false;
    void this.exited.then(() => (ended = true));
    await this.until('the stack is ready', () => ended || this.output.includes('Ready after'));
    if (ended) throw new Error(`The launcher ended:\n${this.output}`);
    return this.stack();
  }

  /** Waits for an effect of the launcher; a failure shows its output. */
  async until(what: string, holds: () => boolean): Promise<void> {
    await waitFor(what, holds, READY_WITHIN_MS).catch((error: Error) => {
      throw new Error(`${error.message}\n${this.output}`);
    });
  }

  stack(): WholeStack {
    return JSON.parse(readFileSync(join(this.dataDir, 'stack.json'), 'utf8')) as WholeStack;
  }

  pidOf(name: string): number | undefined {
    return this.stack().processes.find((process) => process.name === name)?.pid;
  }
}

/** Lists the processes that belong to the stack of a folder: its services by their environment, its servers by their arguments. */
export function processesOf(dataDir: string, stack: Pick<StackDescription, 'postgres' | 'nats'>): string[] {
  const marks = [dataDir, new URL(stack.postgres).host, new URL(stack.nats).host];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => marks.some((mark) => `${read(pid, 'cmdline')}\n${read(pid, 'environ')}`.includes(mark)))
    .map((pid) => `${pid} ${read(pid, 'cmdline').replaceAll('\0', ' ')}`);
}

/** Reads the whole environment of a process, as the kernel has it. */
export function environmentOf(pid: number): Record<string, string> {
  const pairs = read(String(pid), 'environ').split('\0').filter(Boolean);
  return Object.fromEntries(pairs.map((pair) => [pair.split('=')[0], pair.slice(pair.indexOf('=') + 1)]));
}

function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return ''; // it ended meanwhile
  }
}

/** Runs a command line to its end from a folder that is not the repository, with nothing in its environment. */
export function run(
  commandLine: string[],
  env: Record<string, string> = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  const [command = '', ...args] = commandLine;
  return new Promise((resolve) => {
    execFile(command, args, { cwd: '/', env, timeout: RUN_LIMIT_MS }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr });
    });
  });
}

export const operatorOf = (...args: string[]): string[] => [process.execPath, MAIN, 'operator', ...args];
